import { Writable } from 'node:stream';
import { expect } from 'chai';
import { AppError, noteFailedCall } from '../../src/errors/index.js';
import { createLogger } from '../../src/process/index.js';

describe('logger', () => {
  function record(level = 'info') {
    const lines: string[] = [];
    const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) });
    return { lines, log: createLogger({ service: 'test', level, stream }) };
  }

  it('hides the values of secret keys at any depth it promises', () => {
    const { lines, log } = record();
    log.info(
      {
        password: 'secret 1',
        user: { token: 'secret 2', nested: { authorization: 'Bearer secret 3' } },
        api_key: 'secret 4',
        id: 'shown',
      },
      'x',
    );
    expect(lines.join('')).to.contain('shown').and.not.contain('secret');
  });

  it('shows the codes of errors and processes, and hides those that people type', () => {
    const { lines, log } = record();
    log.info({ err: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }, 'x');
    log.info({ code: 7 }, 'x');
    log.info({ code: 'typed-1', body: { code: 'typed-2' } }, 'x');
    expect(lines[0]).to.contain('"code":"ECONNREFUSED"');
    expect(lines[1]).to.contain('"code":7');
    expect(lines[2]).not.to.contain('typed');
  });

  it('shows the stack of a defect always, and of a failed call or connection at level debug only', () => {
    const away = new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'away', {}, { cause: new Error('no connection') });
    noteFailedCall(away, 'panel.files.v1.FileService/ReadFile at files-0:50051');
    const broken = new AppError('internal', 'INTERNAL', 'internal error');
    noteFailedCall(broken, 'panel.files.v1.FileService/ReadFile at files-0:50051');
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const defects = [new TypeError('x is not a function'), new AppError('internal', 'INTERNAL', 'broken')];
    const errOf = (error: unknown, level: string) => {
      const { lines, log } = record(level);
      log.error({ err: error }, 'failed');
      return (JSON.parse(lines[0] ?? '{}') as { err: Record<string, unknown> }).err;
    };
    expect(errOf(away, 'info')).to.deep.include({
      type: 'AppError',
      reason: 'SERVICE_UNAVAILABLE',
      message: 'away: no connection',
      call: 'panel.files.v1.FileService/ReadFile at files-0:50051',
    });
    for (const expected of [away, broken, refused]) {
      expect(errOf(expected, 'info')).not.to.have.property('stack');
      expect(errOf(expected, 'debug')['stack']).to.include('logger.test');
    }
    for (const defect of defects) expect(errOf(defect, 'info')['stack']).to.include('logger.test');
  });

  it('keeps one line per event whatever a text contains', () => {
    const { lines, log } = record();
    log.info({ agent: 'x\r\n{"level":"fatal"}\u001b[31m' }, 'line\nbreak');
    expect(lines).to.have.length(1);
    for (const character of ['\r', '\n', '\u001b']) expect(lines[0]?.trimEnd()).not.to.contain(character);
    expect(JSON.parse(lines[0] ?? '')).to.deep.include({ level: 'info', service: 'test', msg: 'line\nbreak' });
  });
});
