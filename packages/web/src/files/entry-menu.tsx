import type { FileEntry } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { Menu } from '../ui/menu.js';
import type { FileQuestion } from './file-questions.js';
import { isArchive, joinPath } from './paths.js';
import type { DirectoryActions } from './use-directory-actions.js';

interface EntryMenuProps {
  readonly entry: FileEntry;
  readonly directory: string;
  readonly actions: DirectoryActions;
  readonly onAsk: (question: FileQuestion) => void;
  readonly onRemove: () => void;
}

export function EntryMenu({ entry, directory, actions, onAsk, onRemove }: EntryMenuProps) {
  const { t } = useI18n();
  const { why } = useServer();
  const { name } = entry;
  const extract = {
    label: t('files.extract'),
    why: why('file.archive'),
    act: () => void actions.extract(name),
  };
  const versions = {
    label: t('files.versions'),
    why: why('file.read'),
    act: () => onAsk({ kind: 'versions', path: joinPath(directory, name) }),
  };
  return (
    <Menu
      label={t('servers.actions', { name })}
      items={[
        { label: t('action.download'), why: why('file.read-content'), act: () => void actions.download(name) },
        { label: t('files.rename'), why: why('file.update'), act: () => onAsk({ kind: 'rename', name }) },
        { label: t('files.copy'), why: why('file.create'), act: () => void actions.copy(name) },
        {
          label: t('files.chmod'),
          why: why('file.update'),
          act: () => onAsk({ kind: 'chmod', name, mode: entry.mode_bits }),
        },
        ...(isArchive(name) ? [extract] : []),
        ...(entry.is_file ? [versions] : []),
        { label: t('action.remove'), isDanger: true, why: why('file.delete'), act: onRemove },
      ]}
    />
  );
}
