import { Writable } from 'node:stream';
import { expect } from 'chai';
import { createLogger } from '../../src/process/index.js';

describe('logger', () => {
  function record() {
    const lines: string[] = [];
    const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) });
    return { lines, log: createLogger({ service: 'test', level: 'info', stream }) };
  }

  it('hides the values of secret keys at any depth it promises', () => {
    const { lines, log } = record();
    log.info(
      { password: 'p1', user: { token: 't1', nested: { authorization: 'Bearer a1' } }, api_key: 'k1', id: 'shown' },
      'x',
    );
    expect(lines.join(''))
      .to.contain('shown')
      .and.not.match(/p1|t1|a1|k1/);
  });

  it('shows the codes of errors and processes, and hides those that people type', () => {
    const { lines, log } = record();
    log.info({ err: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }, 'x');
    log.info({ code: 7 }, 'x');
    log.info({ code: '123456', body: { code: 'SUMMER50' } }, 'x');
    expect(lines[0]).to.contain('"code":"ECONNREFUSED"');
    expect(lines[1]).to.contain('"code":7');
    expect(lines[2]).not.to.match(/123456|SUMMER50/);
  });

  it('keeps one line per event whatever a text contains', () => {
    const { lines, log } = record();
    log.info({ agent: 'x\r\n{"level":"fatal"}\u001b[31m' }, 'line\nbreak');
    expect(lines).to.have.length(1);
    for (const character of ['\r', '\n', '\u001b']) expect(lines[0]?.trimEnd()).not.to.contain(character);
    expect(JSON.parse(lines[0] ?? '')).to.deep.include({ level: 'info', service: 'test', msg: 'line\nbreak' });
  });
});
