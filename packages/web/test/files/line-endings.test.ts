import { EditorState } from '@codemirror/state';
import { expect } from 'chai';
import { lineEndingsOf, newLineEndings, textOf } from '../../src/files/line-endings.js';

describe('line endings of an edited file', () => {
  const open = (text: string) => EditorState.create({ doc: text, extensions: lineEndingsOf(text) });
  const insert = (state: EditorState, from: number, text: string, to = from) =>
    state.update({ changes: { from, to, insert: state.toText(text) } }).state;

  for (const text of ['', 'a', 'a\nb\n', 'a\r\nb\r\n', 'a\rb\r', 'a\r\nb\nc\rd\r\n', '\r\n\n\r\n', '\n\r', '\r\r\n']) {
    it(`keeps those of ${JSON.stringify(text)}`, () => {
      expect(textOf(open(text))).to.equal(text);
    });
  }

  it('gives new lines the usual ending, also pasted ones', () => {
    expect(textOf(insert(open('a\r\nb\r\n'), 1, '\nx\r\ny'))).to.equal('a\r\nx\r\ny\r\nb\r\n');
    expect(textOf(insert(open('a\nb\n'), 1, '\r\nx'))).to.equal('a\nx\nb\n');
  });

  it('moves the others with their lines', () => {
    const mixed = open('a\r\nb\nc\r\n');
    expect(textOf(insert(mixed, 0, 'start '))).to.equal('start a\r\nb\nc\r\n');
    expect(textOf(insert(mixed, 3, ' end'))).to.equal('a\r\nb end\nc\r\n');
    expect(textOf(insert(mixed, 3, '\nnew'))).to.equal('a\r\nb\r\nnew\nc\r\n');
    expect(textOf(insert(mixed, 4, 'new '))).to.equal('a\r\nb\nnew c\r\n');
    expect(textOf(insert(mixed, 3, '', 4))).to.equal('a\r\nbc\r\n');
  });

  it('takes those of a text that replaces all', () => {
    const state = open('a\r\nb');
    const next = 'x\ny\rz\n';
    const replaced = state.update({
      changes: { from: 0, to: state.doc.length, insert: state.toText(next) },
      effects: newLineEndings(next),
    }).state;
    expect(textOf(replaced)).to.equal(next);
  });

  it('reads and writes a file of 4 MiB within seconds', () => {
    const text = 'key=value\r\nother=1\n'.repeat(220_000);
    const before = performance.now();
    expect(textOf(open(text)).length).to.equal(text.length);
    expect(performance.now() - before).to.be.lessThan(15_000);
  });
});
