import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { createDoneMatcher, validateDonePattern } from '../../../src/domain/eggs/done.js';
import { parseStop } from '../../../src/domain/eggs/stop.js';

const signal = (name: string) => ({ kind: 'signal', signal: name });
const command = (text: string) => ({ kind: 'command', command: text });

describe('parseStop', () => {
  const table: readonly (readonly [string, object])[] = [
    ['stop', command('stop')],
    ['/stop', command('/stop')],
    ['stop 10 stopping server', command('stop 10 stopping server')],
    ['c_shutdown()', command('c_shutdown()')],
    [' say "bye"; quit ', command('say "bye"; quit')],
    ['^C', signal('SIGINT')],
    ['^c', signal('SIGINT')],
    ['^^C', signal('SIGINT')],
    ['^SIGINT', signal('SIGINT')],
    ['^sigterm', signal('SIGTERM')],
    ['^SIGABRT', signal('SIGABRT')],
    ['^SIGQUIT', signal('SIGQUIT')],
    ['^SIGHUP', signal('SIGHUP')],
    ['^SIGKILL', signal('SIGKILL')],
    ['^X', signal('SIGTERM')],
    ['^constructor', signal('SIGTERM')],
    ['^', signal('SIGTERM')],
    ['', signal('SIGTERM')],
  ];
  for (const [stop, method] of table) {
    it(`returns ${JSON.stringify(method)} for ${JSON.stringify(stop)}`, () => {
      expect(parseStop(stop)).to.deep.equal(method);
    });
  }
});

describe('done patterns', () => {
  const matcher = (startupDone: string[], startupStripAnsi = false) =>
    createDoneMatcher({ startupDone, startupStripAnsi });

  it('matches text literally anywhere in a line', () => {
    const done = matcher([')! For help, type ']);
    expect(done.matches('[12:00:00 INFO]: Done (3.1s)! For help, type "help"')).to.equal(true);
    expect(done.matches('Done! For help type')).to.equal(false);
    expect(matcher(['.*']).matches('anything')).to.equal(false);
  });

  it('matches any of several texts', () => {
    const done = matcher(['Listening on ', 'regex:^Ready( in \\d+ms)?$']);
    for (const line of ['Listening on 1', 'Ready', 'Ready in 12ms']) expect(done.matches(line), line).to.equal(true);
    for (const line of ['listening on 1', 'Ready in ms', 'not Ready']) expect(done.matches(line), line).to.equal(false);
  });

  it('matches lines without colours, titles and links, whether the egg strips ANSI or not', () => {
    const link = '\u001b]8;;https://example.com\u001b\\';
    const line = `\u001b[32mServer \u001b]0;title\u0007${link}\u001b[1;31mstarted\u001b]8;;\u0007\u001b[0m`;
    for (const strips of [false, true]) {
      expect(matcher(['Server started'], strips).matches(line)).to.equal(true);
      expect(matcher(['regex:^Server started$'], strips).matches(line)).to.equal(true);
      expect(matcher(['started'], strips).matches(`${'\u001b[38;2;1;2;3m'.repeat(200)}started`)).to.equal(true);
    }
  });

  it('matches a text with colours unless the egg strips ANSI', () => {
    const line = 'is \u001b[32mup\u001b[0m';
    for (const done of ['\u001b[32mup', 'regex:\\x1b\\[32mup']) {
      expect(matcher([done]).matches(line)).to.equal(true);
      expect(matcher([done], true).matches(line)).to.equal(false);
    }
  });

  it('returns no done patterns when the egg has none', () => {
    expect(matcher([]).isEmpty).to.equal(true);
    expect(matcher(['']).isEmpty).to.equal(true);
    expect(matcher(['regex:(']).isEmpty).to.equal(true);
    expect(matcher(['ready', 'regex:(']).matches('ready')).to.equal(true);
  });

  it('matches in linear time and within the first part of a line only', () => {
    const done = matcher(['regex:^(a+)+$', 'regex:(x+x+)+y'], true);
    const started = processorMs();
    for (let line = 0; line < 100; line++) {
      expect(done.matches(`${'a'.repeat(2_000)}!`)).to.equal(false);
      expect(done.matches(`\u001b[${'0;'.repeat(4_000)}`)).to.equal(false);
    }
    expect(processorMs() - started).to.be.below(3_000);
    expect(matcher(['end']).matches(`${'x'.repeat(10_000)}end`)).to.equal(false);
  });

  it('refuses done patterns that cannot be parsed', () => {
    expect(validateDonePattern('regex:^ready$')).to.equal(null);
    expect(validateDonePattern('(plain')).to.equal(null);
    for (const part of ['regex:(', 'regex:(?=a)', `regex:${'a'.repeat(1_001)}`, 'regex:(abcdefghij){999}']) {
      expect(validateDonePattern(part), part.slice(0, 40)).to.be.a('string');
    }
  });
});
