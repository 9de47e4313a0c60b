import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useApi } from '../api/context.js';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { useToasts } from '../ui/toasts.js';
import { Draft } from './draft.js';
import { createEditor, type Editor } from './editor.js';
import { type FileContents, readContents, refusingVersion } from './file-contents.js';
import { nameOf } from './paths.js';
import { saveFileText, type TextToSave } from './save-file-text.js';
import { Sender } from './sender.js';
import { uploadsOf } from './upload-queue.js';

interface Conflict {
  readonly theirs: FileContents;
  readonly ours: string;
}

type TextVersion = Extract<FileContents, { kind: 'text' }>;

interface TextEditorOptions {
  readonly frame: RefObject<HTMLElement | null>;
  readonly path: string;
  readonly file: FileContents;
  readonly isReadOnly: boolean;
}

/** Saves unless changed elsewhere, and stores drafts. */
export function useTextEditor({ frame, path, file, isReadOnly }: TextEditorOptions) {
  const { t } = useI18n();
  const { id } = useServer();
  const api = useApi();
  const { session } = api;
  const queries = useQueryClient();
  const toasts = useToasts();
  const editor = useRef<Editor | null>(null);
  const draft = useMemo(() => new Draft(id, path), [id, path]);
  const sha256 = useRef(file.sha256);
  const [isDirty, setIsDirty] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [conflict, setConflict] = useState<Conflict | null>(null);

  const writeWhole = async ({ content, ifMatch }: TextToSave): Promise<string> => {
    const { data } = await api.call(async (client) =>
      client.put('/servers/{id}/files/write', {
        params: { id },
        query: { path },
        bytes: content,
        headers: { 'if-match': ifMatch },
      }),
    );
    return data.sha256;
  };
  const write = async (content: string): Promise<void> => {
    sha256.current = await saveFileText(
      { serverId: id, path, content, ifMatch: sha256.current },
      { write: writeWhole, sender: new Sender(session), pieces: uploadsOf(session, id).pieces },
    );
    draft.discard();
    // The text may have changed meanwhile.
    if (editor.current?.text() === content) setIsDirty(false);
    else editor.current?.touch();
    setConflict(null);
    toasts.show(t('files.saved', { name: nameOf(path) }));
    void queries.invalidateQueries({ queryKey: ['files', id] });
  };
  /** True, and shown, if another version is the reason of the refusal. */
  const findConflict = async (refusal: unknown): Promise<boolean> => {
    const version = refusingVersion(refusal);
    if (version === null || version === sha256.current) return false;
    const theirs = await api.call(async (client) => readContents(client, { id, path }));
    setConflict({
      theirs: theirs.kind === 'large' ? { ...theirs, sha256: version } : theirs,
      ours: editor.current?.text() ?? '',
    });
    return true;
  };
  const save = async (): Promise<void> => {
    if (isSaving) return;
    setIsSaving(true);
    try {
      await write(editor.current?.text() ?? '').catch(async (error: unknown) => {
        if (!(await findConflict(error))) throw error;
      });
    } catch (error) {
      toasts.showError(error);
    } finally {
      setIsSaving(false);
    }
  };
  const saveByKey = useEffectEvent(() => void save());

  useEffect(() => {
    if (!frame.current) return undefined;
    const retained = draft.read();
    const created = createEditor({
      parent: frame.current,
      fileName: nameOf(path),
      label: path,
      text: retained?.text ?? (file.kind === 'text' ? file.content : ''),
      isReadOnly,
      onSave: () => saveByKey(),
      onChange: () => {
        setIsDirty(true);
        draft.keep(() => ({ text: created.text(), sha256: sha256.current }));
      },
    });
    editor.current = created;
    sha256.current = retained?.sha256 ?? file.sha256;
    // oxlint-disable-next-line react/set-state-in-effect -- the editor is made for an element, which is there after rendering
    setIsDirty(retained !== null);
    // The file was saved elsewhere after the draft.
    if (sha256.current !== file.sha256) setConflict({ theirs: file, ours: created.text() });
    const { signOuts } = session;
    const leave = (): void => {
      if (session.signOuts === signOuts) draft.flush();
      else draft.discard();
    };
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
      created.close();
      editor.current = null;
    };
  }, [frame, path, file, draft, isReadOnly, session]);

  return {
    isDirty,
    isSaving,
    conflict,
    save,
    discard: () => draft.discard(),
    overwrite: (theirs: FileContents): void => {
      sha256.current = theirs.sha256;
      void save();
    },
    take: ({ content, sha256: version }: TextVersion): void => {
      editor.current?.replace(content);
      sha256.current = version;
      draft.discard();
      setIsDirty(false);
      setConflict(null);
    },
  };
}
