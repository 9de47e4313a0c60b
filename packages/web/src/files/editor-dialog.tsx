import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/confirm.js';
import { Dialog } from '../ui/dialog.js';
import { Loaded, Note } from '../ui/states.js';
import { Draft } from './draft.js';
import { type FileContents, readContents } from './file-contents.js';
import { useDownload } from './use-download.js';
import { useTextEditor } from './use-text-editor.js';

interface EditorDialogProps {
  readonly path: string;
  readonly onClose: () => void;
}

const unshownTexts = { binary: 'files.not-text', large: 'files.too-large' } as const;
const conflictTexts = { binary: 'files.conflict-not-text', large: 'files.conflict-too-large' } as const;

/** Unsaved text survives a closed tab; a foreign change opens a comparison. */
export function EditorDialog({ path, onClose }: EditorDialogProps) {
  const { id } = useServer();
  const { t } = useI18n();
  const file = useData(['file', id, path], async (client) => readContents(client, { id, path }), {
    staleTime: Infinity,
  });
  const [hasDraft] = useState(() => new Draft(id, path).read() !== null);
  const queries = useQueryClient();
  useEffect(() => () => queries.removeQueries({ queryKey: ['file', id, path] }), [queries, id, path]);
  return (
    <Dialog title={path} size="large" onClose={onClose}>
      <Loaded query={file} rows={8}>
        {(data) =>
          data.kind === 'text' || hasDraft ? (
            <TextEditor path={path} file={data} onClose={onClose} />
          ) : (
            <Note>{t(unshownTexts[data.kind])}</Note>
          )
        }
      </Loaded>
    </Dialog>
  );
}

function TextEditor({ path, file, onClose }: EditorDialogProps & { readonly file: FileContents }) {
  const { t } = useI18n();
  const { why } = useServer();
  const reason = why('file.update');
  const frame = useRef<HTMLDivElement>(null);
  const editor = useTextEditor({ frame, path, file, isReadOnly: reason !== null });
  const { isDirty, isSaving, conflict } = editor;
  const [isLeaving, setIsLeaving] = useState(false);
  const leave = (): void => {
    editor.discard();
    onClose();
  };
  const conflictPart = ({ theirs, ours }: NonNullable<typeof conflict>) => {
    const onOverwrite = () => editor.overwrite(theirs);
    return theirs.kind === 'text' ? (
      <Conflict theirs={theirs.content} ours={ours} onOverwrite={onOverwrite} onTake={() => editor.take(theirs)} />
    ) : (
      <UnshownConflict path={path} kind={theirs.kind} onOverwrite={onOverwrite} onLeave={leave} />
    );
  };
  return (
    <>
      {conflict ? conflictPart(conflict) : null}
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
          onConfirm={async () => leave()}
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

interface UnshownConflictProps {
  readonly path: string;
  readonly kind: 'binary' | 'large';
  readonly onOverwrite: () => void;
  readonly onLeave: () => void;
}

/** With a version that the editor cannot show. */
function UnshownConflict({ path, kind, onOverwrite, onLeave }: UnshownConflictProps) {
  const { t } = useI18n();
  const { why } = useServer();
  const download = useDownload();
  return (
    <>
      <Note kind="warning">{t(conflictTexts[kind])}</Note>
      <div className="actions">
        <Button why={why('file.read-content')} onClick={() => void download(path)}>
          {t('files.download-theirs')}
        </Button>
        <Button onClick={onLeave}>{t('files.discard')}</Button>
        <Button kind="danger" onClick={onOverwrite}>
          {t('files.overwrite')}
        </Button>
      </div>
    </>
  );
}
