import '../style/files.css';
import { useQueryClient } from '@tanstack/react-query';
import { FilePlus, FolderPlus, FolderUp, Trash2, Upload as UploadIcon } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { FileEntry } from '@panel/client';
import { useSearchParams } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { fileTexts } from '../i18n/texts/files/files-texts.js';
import { useApi } from '../api/context.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { Menu } from '../ui/menu.js';
import { Note } from '../ui/states.js';
import { SearchBox } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { type Dropped, readDrop, readFolderInput } from './dropped-files.js';
import { useEntryDrag } from './entry-drag.js';
import { FileList, type RowKey } from './file-list.js';
import { type FileQuestion, FileQuestions } from './file-questions.js';
import { uploadFolder } from './folder-upload.js';
import { useListing } from './listing.js';
import { crumbsOf, isArchive, joinPath } from './paths.js';
import { maxDeleted, useDirectoryActions } from './use-directory-actions.js';
import { UnfinishedUploads } from './unfinished-uploads.js';
import { UploadList } from './upload-list.js';
import { type UploadQueue, uploadsOf } from './upload-queue.js';

const EditorDialog = lazy(async () => ({ default: (await import('./editor-dialog.js')).EditorDialog }));

const largestEditable = 4 * 1024 ** 2;

/** The files of a server. The directory is in the address. */
export const FilesPage = withTexts([resourceTexts, fileTexts], Files);

function Files() {
  const [parameters] = useSearchParams();
  const directory = parameters.get('dir') ?? '/';
  const before = useRef<string | null>(null);
  useEffect(() => {
    before.current = directory;
  }, [directory]);
  // What is chosen and asked is about this directory, also after a step back in the history.
  return <Directory key={directory} directory={directory} isOpenedHere={before.current !== null} />;
}

interface DirectoryProps {
  readonly directory: string;
  /** From another directory: by the button of one, which had the focus. */
  readonly isOpenedHere: boolean;
}

function Directory({ directory, isOpenedHere }: DirectoryProps) {
  const { t } = useI18n();
  const { id, why, may } = useServer();
  const api = useApi();
  const queries = useQueryClient();
  const toasts = useToasts();
  const [parameters, setParameters] = useSearchParams();
  const edited = parameters.get('edit');
  const [search, setSearch] = useState('');
  const [range, setRange] = useState({ from: 0, to: 40 });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [question, setQuestion] = useState<FileQuestion | null>(null);
  const lastIndex = useRef(0);
  const filesInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const listing = useListing(id, directory, search.trim(), range.from, range.to);
  const onRange = useCallback((from: number, to: number) => setRange({ from, to }), []);
  const queue = useMemo(() => uploadsOf(api.session, id), [api, id]);
  const uploads = useSyncExternalStore(queue.subscribe, () => queue.uploads);
  useUploadNews(queue, () => void queries.invalidateQueries({ queryKey: ['files', id] }));

  const open = (path: string): void => {
    setParameters(path === '/' ? {} : { dir: path });
  };
  const actions = useDirectoryActions(directory);
  const drag = useEntryDrag({
    directory,
    selected,
    isAllowed: may('file.update'),
    onMove: (names, to) => {
      setSelected(new Set());
      void actions.move(names, to);
    },
  });
  const remove = (names: readonly string[]): void => {
    setSelected(new Set());
    actions.deleteLater(names);
  };
  const pressKey = (key: RowKey, index: number, to: number): void => {
    const name = listing.entryAt(index)?.name;
    if (key === 'extend') selectRange(index, to);
    else if (key === 'all') selectRange(0, listing.total - 1);
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
  /** Those between two rows, as far as they have been read. */
  const selectRange = (one: number, other: number): void => {
    const names = new Set(selected);
    for (let at = Math.min(one, other); at <= Math.max(one, other); at++) {
      const entry = listing.entryAt(at);
      if (entry) names.add(entry.name);
    }
    lastIndex.current = other;
    setSelected(names);
  };
  const select = (name: string, isRange: boolean, index: number): void => {
    if (isRange) {
      selectRange(lastIndex.current, index);
      return;
    }
    lastIndex.current = index;
    setSelected(new Set(selected.has(name) ? [...selected].filter((one) => one !== name) : [...selected, name]));
  };
  const openEntry = (entry: FileEntry): void => {
    const path = joinPath(directory, entry.name);
    if (!entry.is_file) open(path);
    else if (entry.size > largestEditable || !may('file.read-content')) void actions.download(entry.name);
    else setParameters({ dir: directory, edit: path });
  };
  const names = [...selected];
  const whyUpload = why('file.update');
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
      <div className="toolbar">
        <SearchBox label={t('files.search')} value={search} onChange={setSearch} />
        <Button icon={<FilePlus />} why={whyUpload} onClick={() => setQuestion({ kind: 'new-file' })}>
          {t('files.new-file')}
        </Button>
        <Button icon={<FolderPlus />} why={why('file.create')} onClick={() => setQuestion({ kind: 'new-folder' })}>
          {t('files.new-folder')}
        </Button>
        <Button kind="primary" icon={<UploadIcon />} why={whyUpload} onClick={() => filesInput.current?.click()}>
          {t('files.upload')}
        </Button>
        <Button
          icon={<FolderUp />}
          why={whyUpload ?? why('file.archive') ?? why('file.delete')}
          onClick={() => folderInput.current?.click()}
        >
          {t('files.upload-folder')}
        </Button>
        <Button kind="quiet" icon={<Trash2 />} onClick={() => setQuestion({ kind: 'trash' })}>
          {t('files.trash')}
        </Button>
        <input
          ref={filesInput}
          type="file"
          multiple
          hidden
          aria-label={t('files.upload')}
          onChange={({ target }) => {
            upload({ files: [...(target.files ?? [])], folders: [] });
            // The same file can be chosen again.
            target.value = '';
          }}
        />
        <input
          ref={(element) => {
            folderInput.current = element;
            element?.setAttribute('webkitdirectory', '');
          }}
          type="file"
          hidden
          aria-label={t('files.upload-folder')}
          onChange={({ target }) => {
            if (target.files) upload(readFolderInput(target.files));
            target.value = '';
          }}
        />
      </div>
      {names.length > 0 ? (
        <div className="toolbar" role="group" aria-label={t('files.selection')}>
          <span>{t('servers.selected', { count: names.length })}</span>
          <Button why={why('file.update')} onClick={() => setQuestion({ kind: 'move', names })}>
            {t('files.move')}
          </Button>
          <Button why={why('file.archive')} onClick={() => setQuestion({ kind: 'compress', names })}>
            {t('files.compress')}
          </Button>
          <Button
            kind="danger"
            why={why('file.delete') ?? (names.length > maxDeleted && t('why.limit', { limit: maxDeleted }))}
            onClick={() => remove(names)}
          >
            {t('action.remove')}
          </Button>
          <Button kind="quiet" onClick={() => setSelected(new Set())}>
            {t('servers.select-none')}
          </Button>
        </div>
      ) : null}
      <UploadList queue={queue} uploads={uploads} />
      <UnfinishedUploads queue={queue} uploads={uploads} />
      {listing.isTruncated ? <Note kind="warning">{t('files.truncated')}</Note> : null}
      <FileList
        listing={listing}
        label={t('files.entries', { count: listing.total })}
        selected={selected}
        isHidden={actions.isHidden}
        onSelect={select}
        onOpen={openEntry}
        onKey={pressKey}
        drag={drag}
        onRange={onRange}
        takesFocus={isOpenedHere}
        onDrop={(items) => void readDrop(items).then(upload, toasts.showError)}
        menu={(entry) => (
          <Menu
            label={t('servers.actions', { name: entry.name })}
            items={[
              {
                label: t('action.download'),
                why: why('file.read-content'),
                act: () => void actions.download(entry.name),
              },
              {
                label: t('files.rename'),
                why: why('file.update'),
                act: () => setQuestion({ kind: 'rename', name: entry.name }),
              },
              {
                label: t('files.copy'),
                why: why('file.create'),
                act: () => void actions.copy(entry.name),
              },
              {
                label: t('files.chmod'),
                why: why('file.update'),
                act: () => setQuestion({ kind: 'chmod', name: entry.name, mode: entry.mode_bits }),
              },
              ...(isArchive(entry.name)
                ? [
                    {
                      label: t('files.extract'),
                      why: why('file.archive'),
                      act: () => void actions.extract(entry.name),
                    },
                  ]
                : []),
              ...(entry.is_file
                ? [
                    {
                      label: t('files.versions'),
                      why: why('file.read'),
                      act: () => setQuestion({ kind: 'versions', path: joinPath(directory, entry.name) }),
                    },
                  ]
                : []),
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('file.delete'),
                act: () => remove([entry.name]),
              },
            ]}
          />
        )}
      />
      {question ? (
        <FileQuestions
          question={question}
          directory={directory}
          onClose={() => {
            setQuestion(null);
            setSelected(new Set());
          }}
        />
      ) : null}
      {edited === null ? null : (
        <Suspense fallback={null}>
          <EditorDialog
            key={edited}
            path={edited}
            onClose={() => setParameters(directory === '/' ? {} : { dir: directory })}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Calls `refresh` for what has been uploaded, and says it when another page is open by then. */
function useUploadNews(queue: UploadQueue, refresh: () => void): void {
  const { t } = useI18n();
  const toasts = useToasts();
  const latest = useRef({ refresh, t, toasts });
  latest.current = { refresh, t, toasts };
  useEffect(() => {
    let isOpen = true;
    queue.onEnd(({ name, state, error }) => {
      const { refresh: read, t: text, toasts: news } = latest.current;
      read();
      if (isOpen) return;
      if (state === 'failed') news.showError(error);
      else news.show(text('files.uploaded', { name }));
    });
    return () => {
      isOpen = false;
    };
  }, [queue]);
}
