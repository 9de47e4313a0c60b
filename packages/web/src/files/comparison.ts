import { MergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';

const look = EditorView.theme({ '&': { fontSize: '13px', color: 'var(--ink)' } });

/** In a shadow root. Returns its removal. */
export function showComparison(parent: HTMLElement, theirs: string, ours: string): () => void {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const frame = document.createElement('div');
  root.replaceChildren(frame);
  const extensions = [lineNumbers(), EditorState.readOnly.of(true), look];
  const view = new MergeView({
    root,
    parent: frame,
    a: { doc: theirs, extensions },
    b: { doc: ours, extensions },
    collapseUnchanged: {},
  });
  return () => view.destroy();
}
