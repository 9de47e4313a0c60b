import { expect } from 'chai';
import { mailPrinter } from '../src/mail-printer.js';

describe('mailPrinter', () => {
  it('prints the recipient, the subject and every line of a mail', () => {
    const lines: string[] = [];
    mailPrinter(
      (line) => lines.push(line),
      [],
    )({ type: 'mail', to: 'ada@example.org', subject: 'Hello', text: 'one\ntwo' });
    expect(lines).to.deep.equal(['mail to ada@example.org: Hello', '    one', '    two']);
  });

  it('ignores other messages', () => {
    const lines: string[] = [];
    for (const message of [null, 'mail', { type: 'ready', listen: 'x' }])
      mailPrinter((line) => lines.push(line), [])(message);
    expect(lines).to.deep.equal([]);
  });
});
