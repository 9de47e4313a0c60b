import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  defaultHighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { lineEndingsOf, newLineEndings, textOf } from './line-endings.js';

interface EditorOptions {
  readonly parent: HTMLElement;
  readonly fileName: string;
  readonly text: string;
  readonly label: string;
  readonly isReadOnly: boolean;
  readonly onChange: () => void;
  readonly onSave: () => void;
}

export interface Editor {
  text(): string;
  replace(text: string): void;
  /** Repeats the change event. */
  touch(): void;
  close(): void;
}

/** Loaded with the first file that needs it. */
const languages: readonly (readonly [RegExp, () => Promise<Extension>])[] = [
  [/\.(json|mcmeta|jsonc)$/i, async () => (await import('@codemirror/lang-json')).json()],
  [/\.ya?ml$/i, async () => (await import('@codemirror/lang-yaml')).yaml()],
  [
    /\.(properties|ini|cfg|conf|env)$/i,
    async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/properties')).properties),
  ],
  [/\.toml$/i, async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/toml')).toml)],
  [/\.(xml|html)$/i, async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/xml')).xml)],
  [/\.lua$/i, async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/lua')).lua)],
  [/\.(sh|bash)$/i, async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/shell')).shell)],
];

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--mono)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)' },
});

/** In a shadow root, whose style sheets the page's policy allows. */
export function createEditor({ parent, fileName, text, label, isReadOnly, onChange, onSave }: EditorOptions): Editor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const frame = document.createElement('div');
  frame.style.height = '100%';
  root.replaceChildren(frame);
  const load = languages.find(([pattern]) => pattern.test(fileName))?.[1];
  const language = new Compartment();
  let isClosed = false;
  const view = new EditorView({
    root,
    parent: frame,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineEndingsOf(text),
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        syntaxHighlighting(defaultHighlightStyle),
        look,
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged }) => docChanged && onChange()),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => (onSave(), true) },
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
          indentWithTab,
        ]),
        language.of([]),
      ],
    }),
  });
  view.focus();
  const colour = (extension: Extension): void => {
    if (!isClosed) view.dispatch({ effects: language.reconfigure(extension) });
  };
  // Without its language a file has one colour.
  void load?.().then(colour, () => undefined);
  return {
    text: () => textOf(view.state),
    replace: (next) =>
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        effects: newLineEndings(next),
      }),
    touch: onChange,
    close: () => {
      isClosed = true;
      view.destroy();
    },
  };
}
