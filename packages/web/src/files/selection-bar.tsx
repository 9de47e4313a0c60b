import { useI18n } from '../i18n/i18n.js';
import { useServer } from '../server/server-context.js';
import { Button } from '../ui/button.js';
import type { FileQuestion } from './file-questions.js';
import { maxDeleted } from './use-directory-actions.js';

interface SelectionBarProps {
  readonly names: readonly string[];
  readonly onAsk: (question: FileQuestion) => void;
  readonly onRemove: () => void;
  readonly onClear: () => void;
}

export function SelectionBar({ names, onAsk, onRemove, onClear }: SelectionBarProps) {
  const { t } = useI18n();
  const { why } = useServer();
  if (names.length === 0) return null;
  return (
    <div className="toolbar" role="group" aria-label={t('files.selection')}>
      <span>{t('servers.selected', { count: names.length })}</span>
      <Button why={why('file.update')} onClick={() => onAsk({ kind: 'move', names })}>
        {t('files.move')}
      </Button>
      <Button why={why('file.archive')} onClick={() => onAsk({ kind: 'compress', names })}>
        {t('files.compress')}
      </Button>
      <Button
        kind="danger"
        why={why('file.delete') ?? (names.length > maxDeleted && t('why.limit', { limit: maxDeleted }))}
        onClick={onRemove}
      >
        {t('action.remove')}
      </Button>
      <Button kind="quiet" onClick={onClear}>
        {t('servers.select-none')}
      </Button>
    </div>
  );
}
