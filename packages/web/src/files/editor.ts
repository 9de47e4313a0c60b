import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  defaultHighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { properties } from '@codemirror/legacy-modes/mode/properties';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { xml } from '@codemirror/legacy-modes/mode/xml';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';

export interface EditorOptions {
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
  close(): void;
}

const languages: readonly (readonly [RegExp, () => Extension])[] = [
  [/\.(json|mcmeta|jsonc)$/i, json],
  [/\.ya?ml$/i, yaml],
  [/\.(properties|ini|cfg|conf|env)$/i, () => StreamLanguage.define(properties)],
  [/\.toml$/i, () => StreamLanguage.define(toml)],
  [/\.(xml|html)$/i, () => StreamLanguage.define(xml)],
  [/\.lua$/i, () => StreamLanguage.define(lua)],
  [/\.(sh|bash)$/i, () => StreamLanguage.define(shell)],
];

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--mono)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)' },
});

/** An editor in a shadow root: there its styles are style sheets of the root, which the policy of the page allows. */
export function createEditor({ parent, fileName, text, label, isReadOnly, onChange, onSave }: EditorOptions): Editor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const frame = document.createElement('div');
  frame.style.height = '100%';
  root.replaceChildren(frame);
  const language = languages.find(([pattern]) => pattern.test(fileName))?.[1];
  const view = new EditorView({
    root,
    parent: frame,
    state: EditorState.create({
      doc: text,
      extensions: [
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
        ...(language ? [language()] : []),
      ],
    }),
  });
  view.focus();
  return {
    text: () => view.state.doc.toString(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    close: () => view.destroy(),
  };
}
