import { FilePlus, FolderPlus, FolderUp, Trash2, Upload as UploadIcon } from 'lucide-react';
import { useRef } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import { SearchBox } from '../ui/pager.js';
import { type Dropped, readFolderInput } from './dropped-files.js';
import type { FileQuestion } from './file-questions.js';

interface FileToolbarProps {
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onAsk: (question: FileQuestion) => void;
  readonly onUpload: (chosen: Dropped) => void;
}

export function FileToolbar({ search, onSearch, onAsk, onUpload }: FileToolbarProps) {
  const { t } = useI18n();
  const { why } = useServer();
  return (
    <div className="toolbar">
      <SearchBox label={t('files.search')} value={search} onChange={onSearch} />
      <Button icon={<FilePlus />} why={why('file.update')} onClick={() => onAsk({ kind: 'new-file' })}>
        {t('files.new-file')}
      </Button>
      <Button icon={<FolderPlus />} why={why('file.create')} onClick={() => onAsk({ kind: 'new-folder' })}>
        {t('files.new-folder')}
      </Button>
      <UploadButtons onUpload={onUpload} />
      <Button kind="quiet" icon={<Trash2 />} onClick={() => onAsk({ kind: 'trash' })}>
        {t('files.trash')}
      </Button>
    </div>
  );
}

function UploadButtons({ onUpload }: Pick<FileToolbarProps, 'onUpload'>) {
  const { t } = useI18n();
  const { why } = useServer();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const whyUpload = why('file.update');
  return (
    <>
      <Button kind="primary" icon={<UploadIcon />} why={whyUpload} onClick={() => files.current?.click()}>
        {t('files.upload')}
      </Button>
      <Button
        icon={<FolderUp />}
        why={whyUpload ?? why('file.archive') ?? why('file.delete')}
        onClick={() => folder.current?.click()}
      >
        {t('files.upload-folder')}
      </Button>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t('files.upload')}
        onChange={({ target }) => {
          onUpload({ files: [...(target.files ?? [])], folders: [] });
          // Allows the same file again.
          target.value = '';
        }}
      />
      <input
        ref={(element) => {
          folder.current = element;
          element?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        hidden
        aria-label={t('files.upload-folder')}
        onChange={({ target }) => {
          if (target.files) onUpload(readFolderInput(target.files));
          target.value = '';
        }}
      />
    </>
  );
}
