import {
  type EditorState,
  type Extension,
  RangeSet,
  RangeSetBuilder,
  RangeValue,
  StateEffect,
  StateField,
} from '@codemirror/state';

type Ending = '\n' | '\r\n' | '\r';

/** On the line break of an ending other than the usual one; goes with it. */
class OtherEnding extends RangeValue {
  override startSide = 1;
  override endSide = -1;

  constructor(readonly ending: Ending) {
    super();
  }

  override eq(other: RangeValue): boolean {
    return other instanceof OtherEnding && other.ending === this.ending;
  }
}

interface Endings {
  /** Of new lines. */
  readonly usual: Ending;
  readonly others: RangeSet<OtherEnding>;
}

const anyEnding = /\r\n?|\n/g;
const setEndings = StateEffect.define<Endings>();

const field = StateField.define<Endings>({
  create: () => ({ usual: '\n', others: RangeSet.empty }),
  update: (endings, { effects, changes, docChanged }) => {
    const set = effects.find((effect) => effect.is(setEndings));
    if (set) return set.value;
    return docChanged ? { ...endings, others: endings.others.map(changes) } : endings;
  },
});

/** The editor knows one line ending: this keeps those of a file, also mixed ones, for `textOf`. */
export function lineEndingsOf(text: string): Extension {
  return field.init(() => read(text));
}

/** For a transaction that replaces everything by `text`. */
export function newLineEndings(text: string): StateEffect<Endings> {
  return setEndings.of(read(text));
}

/** With the endings of the file; new lines have its usual one. */
export function textOf(state: EditorState): string {
  const { usual, others } = state.field(field);
  const { doc } = state;
  const cursor = others.iter();
  const parts: string[] = [];
  let at = 0;
  for (const line of doc.iterLines()) {
    at += line.length;
    while (cursor.value && cursor.from < at) cursor.next();
    parts.push(line, cursor.value && cursor.from === at ? cursor.value.ending : usual);
    at += 1;
  }
  // The last line has no end.
  return parts.slice(0, -1).join('');
}

function read(text: string): Endings {
  const counts = new Map<string, number>();
  for (const [ending] of text.matchAll(anyEnding)) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  const [usual = '\n'] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const others = new RangeSetBuilder<OtherEnding>();
  let removed = 0;
  for (const { 0: ending, index } of text.matchAll(anyEnding)) {
    const at = index - removed;
    if (ending !== usual) others.add(at, at + 1, new OtherEnding(ending as Ending));
    removed += ending.length - 1;
  }
  return { usual: usual as Ending, others: others.finish() };
}
