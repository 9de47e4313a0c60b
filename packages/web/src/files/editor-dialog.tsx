import { useEffect, useMemo, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.js';
import { useApi } from '../api/context.js';
import { ApiError } from '../api/errors.js';
import { useData } from '../api/use-data.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/confirm.js';
import { Dialog } from '../ui/dialog.js';
import { Loaded, Note } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';
import { Draft } from './draft.js';
import { createEditor, type Editor } from './editor.js';
import { nameOf } from './paths.js';

interface EditorDialogProps {
  readonly path: string;
  readonly onClose: () => void;
}

interface LoadedFile {
  readonly content: string;
  readonly sha256: string;
  readonly isText: boolean;
}

/** A text file in the editor. What is not saved survives a closed tab; a change by somebody else opens a comparison. */
export function EditorDialog({ path, onClose }: EditorDialogProps) {
  const { id } = useServer();
  const { t } = useI18n();
  const file = useData<LoadedFile>(
    ['file', id, path],
    async (client) => {
      const { data } = await client.get('/servers/{id}/files/contents', { params: { id }, query: { path } });
      return { content: data.content, sha256: data.sha256, isText: data.encoding === 'utf-8' };
    },
    { staleTime: Infinity },
  );
  const queries = useQueryClient();
  useEffect(() => () => queries.removeQueries({ queryKey: ['file', id, path] }), [queries, id, path]);
  return (
    <Dialog title={path} size="large" onClose={onClose}>
      <Loaded query={file} rows={8}>
        {(data) =>
          data.isText ? <TextEditor path={path} file={data} onClose={onClose} /> : <Note>{t('files.not-text')}</Note>
        }
      </Loaded>
    </Dialog>
  );
}

function TextEditor({ path, file, onClose }: EditorDialogProps & { readonly file: LoadedFile }) {
  const { t } = useI18n();
  const { id, why } = useServer();
  const api = useApi();
  const { session } = api;
  const queries = useQueryClient();
  const toasts = useToasts();
  const frame = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const draft = useMemo(() => new Draft(id, path), [id, path]);
  /** The version that what is edited was made from. */
  const sha256 = useRef(file.sha256);
  const [isDirty, setIsDirty] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const [theirs, setTheirs] = useState<{ readonly content: string; readonly sha256: string } | null>(null);
  const reason = why('file.update');

  const save = async (): Promise<void> => {
    if (isSaving) return;
    const content = editor.current?.text() ?? '';
    setIsSaving(true);
    try {
      const { data } = await api.call(async (client) =>
        client.put('/servers/{id}/files/write', {
          params: { id },
          body: { path, content },
          headers: { 'if-match': sha256.current },
        }),
      );
      sha256.current = data.sha256;
      draft.discard();
      // More may have been typed meanwhile.
      if (editor.current?.text() === content) setIsDirty(false);
      else editor.current?.touch();
      setTheirs(null);
      toasts.show(t('files.saved', { name: nameOf(path) }));
      void queries.invalidateQueries({ queryKey: ['files', id] });
    } catch (error) {
      if (error instanceof ApiError && error.status === 409 && (await loadTheirs())) return;
      toasts.showError(error);
    } finally {
      setIsSaving(false);
    }
  };
  /** Whether the file differs from what was opened; then it is shown. */
  const loadTheirs = async (): Promise<boolean> => {
    const { data } = await api.call(async (client) =>
      client.get('/servers/{id}/files/contents', { params: { id }, query: { path } }),
    );
    if (data.sha256 === sha256.current) return false;
    setTheirs({ content: data.content, sha256: data.sha256 });
    return true;
  };
  const saveNow = useRef(save);
  saveNow.current = save;

  useEffect(() => {
    if (!frame.current) return undefined;
    const kept = draft.read();
    const created = createEditor({
      parent: frame.current,
      fileName: nameOf(path),
      label: path,
      text: kept?.text ?? file.content,
      isReadOnly: reason !== null,
      onSave: () => void saveNow.current(),
      onChange: () => {
        setIsDirty(true);
        draft.keep(() => ({ text: created.text(), sha256: sha256.current }));
      },
    });
    editor.current = created;
    sha256.current = kept?.sha256 ?? file.sha256;
    setIsDirty(kept !== null);
    // Somebody has saved the file since the draft was made.
    if (sha256.current !== file.sha256) setTheirs(file);
    const leave = (): void => {
      if (session.state === 'signed-in') draft.flush();
      else draft.discard();
    };
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
      created.close();
      editor.current = null;
    };
  }, [path, file, draft, reason, session]);
  return (
    <>
      {theirs ? (
        <Conflict
          theirs={theirs.content}
          ours={editor.current?.text() ?? ''}
          onOverwrite={() => {
            sha256.current = theirs.sha256;
            void save();
          }}
          onTake={() => {
            editor.current?.replace(theirs.content);
            sha256.current = theirs.sha256;
            draft.discard();
            setIsDirty(false);
            setTheirs(null);
          }}
        />
      ) : null}
      <div ref={frame} className="editor" hidden={theirs !== null} />
      <div className="actions">
        <span className="faint" role="status">
          {isDirty ? t('files.unsaved') : ''}
        </span>
        <Button onClick={() => (isDirty ? setIsLeaving(true) : onClose())}>{t('action.close')}</Button>
        <Button kind="primary" isBusy={isSaving} why={reason} onClick={() => void save()}>
          {t('action.save')}
        </Button>
      </div>
      {isLeaving ? (
        <Confirm
          title={t('files.unsaved')}
          text={t('files.leave-text')}
          action={t('files.discard')}
          onConfirm={async () => {
            draft.discard();
            onClose();
          }}
          onClose={() => setIsLeaving(false)}
        />
      ) : null}
    </>
  );
}

interface ConflictProps {
  readonly theirs: string;
  readonly ours: string;
  readonly onOverwrite: () => void;
  readonly onTake: () => void;
}

function Conflict({ theirs, ours, onOverwrite, onTake }: ConflictProps) {
  const { t } = useI18n();
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    let remove: (() => void) | undefined;
    let isClosed = false;
    void import('./comparison.js').then(({ showComparison }) => {
      if (!isClosed) remove = showComparison(element, theirs, ours);
    });
    return () => {
      isClosed = true;
      remove?.();
    };
  }, [theirs, ours]);
  return (
    <>
      <Note kind="warning">{t('files.conflict')}</Note>
      <div ref={frame} className="editor" role="group" aria-label={t('files.comparison')} />
      <div className="actions">
        <Button onClick={onTake}>{t('files.take-theirs')}</Button>
        <Button kind="danger" onClick={onOverwrite}>
          {t('files.overwrite')}
        </Button>
      </div>
    </>
  );
}
