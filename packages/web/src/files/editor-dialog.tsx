import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/confirm.js';
import { Dialog } from '../ui/dialog.js';
import { Loaded, Note } from '../ui/states.js';
import { type FileVersion, useTextEditor } from './use-text-editor.js';

interface EditorDialogProps {
  readonly path: string;
  readonly onClose: () => void;
}

interface LoadedFile extends FileVersion {
  readonly isText: boolean;
}

/** Unsaved text survives a closed tab; a foreign change opens a comparison. */
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
  const { why } = useServer();
  const reason = why('file.update');
  const frame = useRef<HTMLDivElement>(null);
  const editor = useTextEditor({ frame, path, file, isReadOnly: reason !== null });
  const { isDirty, isSaving, conflict } = editor;
  const [isLeaving, setIsLeaving] = useState(false);
  return (
    <>
      {conflict ? (
        <Conflict
          theirs={conflict.theirs.content}
          ours={conflict.ours}
          onOverwrite={() => editor.overwrite(conflict)}
          onTake={() => editor.take(conflict)}
        />
      ) : null}
      <div ref={frame} className="editor" hidden={conflict !== null} />
      <div className="actions">
        <span className="faint" role="status">
          {isDirty ? t('files.unsaved') : ''}
        </span>
        <Button onClick={() => (isDirty ? setIsLeaving(true) : onClose())}>{t('action.close')}</Button>
        <Button kind="primary" isBusy={isSaving} why={reason} onClick={() => void editor.save()}>
          {t('action.save')}
        </Button>
      </div>
      {isLeaving ? (
        <Confirm
          title={t('files.unsaved')}
          text={t('files.leave-text')}
          action={t('files.discard')}
          onConfirm={async () => {
            editor.discard();
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
