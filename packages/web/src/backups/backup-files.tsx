import '../style/files.css';
import { File as FileIcon, Folder } from 'lucide-react';
import { useState } from 'react';
import type { Backup, BackupFile } from '@panel/client';
import { crumbsOf } from '../files/paths.js';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { ResourceTable } from '../ui/table.js';
import { useServer } from '../server/server-context.js';
import { RestoreBackup } from './restore-backup.js';

const maxPaths = 100;

export function BackupFiles({ backup, onClose }: { readonly backup: Backup; readonly onClose: () => void }) {
  const { t, bytes, date } = useI18n();
  const { id, why } = useServer();
  const [path, setPath] = useState('/');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isRestoring, setIsRestoring] = useState(false);
  const params = { id, backup_id: backup.id };
  const toggle = (changed: string): void => {
    setSelected((old) => new Set(old.has(changed) ? [...old].filter((one) => one !== changed) : [...old, changed]));
  };
  if (isRestoring) return <RestoreBackup backup={backup} paths={[...selected]} onClose={onClose} />;
  const nothing = selected.size === 0 && t('backups.select-first');
  const tooMany = selected.size > maxPaths && t('why.limit', { limit: maxPaths });
  return (
    <Dialog title={t('backups.files-of', { name: backup.name })} size="large" onClose={onClose}>
      <nav className="crumbs" aria-label={t('field.path')}>
        {crumbsOf(path).map((crumb) => (
          <button key={crumb.path} type="button" onClick={() => setPath(crumb.path)}>
            {crumb.name}
            {crumb.path === '/' ? '' : ' /'}
          </button>
        ))}
      </nav>
      <ResourceTable
        key={path}
        label={t('backups.files-of', { name: backup.name })}
        queryKey={['backup-files', backup.id, path]}
        read={async (client, { page, per_page }) =>
          client.get('/servers/{id}/backups/{backup-id}/files', { params, query: { page, per_page, path } })
        }
        empty={t('backups.folder-empty')}
        idOf={(file) => file.path}
        columns={[
          {
            label: t('field.name'),
            isName: true,
            cell: (file) => (
              <FileName file={file} isSelected={selected.has(file.path)} onToggle={toggle} onOpen={setPath} />
            ),
          },
          { label: t('field.size'), cell: ({ is_file, size }) => (is_file ? bytes(size) : ''), isNumber: true },
          { label: t('activity.when'), cell: ({ modified_at }) => date(modified_at) },
        ]}
      />
      <div className="actions">
        <Button onClick={onClose}>{t('action.close')}</Button>
        <Button kind="primary" why={why('backup.restore') ?? (nothing || tooMany)} onClick={() => setIsRestoring(true)}>
          {t('backups.restore-selected', { count: selected.size })}
        </Button>
      </div>
    </Dialog>
  );
}

interface FileNameProps {
  readonly file: BackupFile;
  readonly isSelected: boolean;
  readonly onToggle: (path: string) => void;
  readonly onOpen: (path: string) => void;
}

function FileName({ file: { name, path, is_file, is_symlink }, isSelected, onToggle, onOpen }: FileNameProps) {
  const { t } = useI18n();
  const isDirectory = !is_file && !is_symlink;
  return (
    <span className="row">
      <input
        type="checkbox"
        aria-label={t('servers.select', { name })}
        checked={isSelected}
        onChange={() => onToggle(path)}
      />
      {isDirectory ? <Folder aria-hidden /> : <FileIcon aria-hidden />}
      {isDirectory ? (
        <Button kind="quiet" onClick={() => onOpen(path)}>
          <bdi>{name}</bdi>
        </Button>
      ) : (
        <bdi>{name}</bdi>
      )}
    </span>
  );
}
