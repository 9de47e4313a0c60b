import '../style/files.css';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import type { FileEntry } from '@panel/client';
import { useApi } from '../api/context.js';
import { useI18n } from '../i18n/i18n.js';
import { fileTexts } from '../i18n/texts/files/files-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { withTexts } from '../i18n/with-texts.js';
import { useServer } from '../server/server-context.js';
import { useSearchParams } from '../ui/search-params.js';
import { Note } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';
import { type Dropped, readDrop } from './dropped-files.js';
import { useEntryDrag } from './entry-drag.js';
import { EntryMenu } from './entry-menu.js';
import { FileList, type RowKey } from './file-list.js';
import { type FileQuestion, FileQuestions } from './file-questions.js';
import { FileToolbar } from './file-toolbar.js';
import { uploadFolder } from './folder-upload.js';
import { useListing } from './listing.js';
import { crumbsOf, joinPath } from './paths.js';
import { SelectionBar } from './selection-bar.js';
import { UnfinishedUploads } from './unfinished-uploads.js';
import { UploadList } from './upload-list.js';
import { uploadsOf } from './upload-queue.js';
import { useDirectoryActions } from './use-directory-actions.js';
import { useSelection } from './use-selection.js';
import { useUploadNotices } from './use-upload-notices.js';

const EditorDialog = lazy(async () => ({ default: (await import('./editor-dialog.js')).EditorDialog }));

const largestEditable = 4 * 1024 ** 2;

/** A server's files. The directory is in the address. */
export const FilesPage = withTexts([resourceTexts, fileTexts], Files);

function Files() {
  const [parameters] = useSearchParams();
  const directory = parameters.get('dir') ?? '/';
  const [shown, setShown] = useState({ directory, isOpenedHere: false });
  if (shown.directory !== directory) setShown({ directory, isOpenedHere: true });
  // Selection and dialogs belong to one directory.
  return <Directory key={directory} directory={directory} isOpenedHere={shown.isOpenedHere} />;
}

interface DirectoryProps {
  readonly directory: string;
  readonly isOpenedHere: boolean;
}

function Directory({ directory, isOpenedHere }: DirectoryProps) {
  const { t } = useI18n();
  const { id, may } = useServer();
  const api = useApi();
  const queries = useQueryClient();
  const toasts = useToasts();
  const [parameters, setParameters] = useSearchParams();
  const [search, setSearch] = useState('');
  const [range, setRange] = useState({ from: 0, to: 40 });
  const [question, setQuestion] = useState<FileQuestion | null>(null);
  const listing = useListing(id, directory, search.trim(), range.from, range.to);
  const onRange = useCallback((from: number, to: number) => setRange({ from, to }), []);
  const { selected, ...selection } = useSelection(listing);
  const queue = useMemo(() => uploadsOf(api.session, id), [api, id]);
  const uploads = useSyncExternalStore(queue.subscribe, () => queue.uploads);
  useUploadNotices(queue, () => void queries.invalidateQueries({ queryKey: ['files', id] }));
  const actions = useDirectoryActions(directory);

  const open = (path: string): void => setParameters(path === '/' ? {} : { dir: path });
  const drag = useEntryDrag({
    directory,
    selected,
    isAllowed: may('file.update'),
    onMove: (names, to) => {
      selection.clear();
      void actions.move(names, to);
    },
  });
  const remove = (names: readonly string[]): void => {
    selection.clear();
    actions.deleteLater(names);
  };
  const pressKey = (key: RowKey, index: number, to: number): void => {
    const name = listing.entryAt(index)?.name;
    if (key === 'extend') selection.selectRange(index, to);
    else if (key === 'all') selection.selectAll();
    else if (name === undefined) return;
    else if (key === 'rename' && may('file.update')) setQuestion({ kind: 'rename', name });
    else if (key === 'delete' && may('file.delete')) remove(selected.has(name) ? [...selected] : [name]);
  };
  const upload = ({ files, folders }: Dropped): void => {
    for (const file of files) queue.add(file.name, { path: joinPath(directory, file.name), body: file });
    for (const { name, entries } of folders) {
      const label = t('files.folder', { name, count: entries.length });
      uploadFolder(api, queue, { serverId: id, directory, label, entries });
    }
  };
  const openEntry = (entry: FileEntry): void => {
    const path = joinPath(directory, entry.name);
    if (!entry.is_file) open(path);
    else if (entry.size > largestEditable || !may('file.read-content')) void actions.download(entry.name);
    else setParameters({ dir: directory, edit: path });
  };
  return (
    <div className="stack">
      <nav className="crumbs" aria-label={t('field.path')}>
        {crumbsOf(directory).map(({ name, path }) => (
          <button key={path} type="button" onClick={() => open(path)} {...drag.targetPath(path)}>
            {name}
            {path === '/' ? '' : ' /'}
          </button>
        ))}
      </nav>
      <FileToolbar search={search} onSearch={setSearch} onAsk={setQuestion} onUpload={upload} />
      <SelectionBar
        names={[...selected]}
        onAsk={setQuestion}
        onRemove={() => remove([...selected])}
        onClear={selection.clear}
      />
      <UploadList queue={queue} uploads={uploads} />
      <UnfinishedUploads queue={queue} uploads={uploads} />
      {listing.isTruncated ? <Note kind="warning">{t('files.truncated')}</Note> : null}
      <FileList
        listing={listing}
        label={t('files.entries', { count: listing.total })}
        selected={selected}
        isHidden={actions.isHidden}
        onSelect={selection.select}
        onOpen={openEntry}
        onKey={pressKey}
        drag={drag}
        onRange={onRange}
        takesFocus={isOpenedHere}
        onDrop={(items) => void readDrop(items).then(upload, toasts.showError)}
        menu={(entry) => (
          <EntryMenu
            entry={entry}
            directory={directory}
            actions={actions}
            onAsk={setQuestion}
            onRemove={() => remove([entry.name])}
          />
        )}
      />
      {question ? (
        <FileQuestions
          question={question}
          directory={directory}
          onClose={() => {
            setQuestion(null);
            selection.clear();
          }}
        />
      ) : null}
      <EditedFile path={parameters.get('edit')} onClose={() => open(directory)} />
    </div>
  );
}

function EditedFile({ path, onClose }: { readonly path: string | null; readonly onClose: () => void }) {
  if (path === null) return null;
  return (
    <Suspense fallback={null}>
      <EditorDialog key={path} path={path} onClose={onClose} />
    </Suspense>
  );
}
