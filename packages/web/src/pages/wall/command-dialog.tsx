import { useI18n } from '../../i18n/i18n.js';
import { ToolsTexts } from '../../i18n/tools-texts.js';
import { Dialog } from '../../parts/dialog.js';
import { CommandMany, type CommandTarget } from './command-many.js';

interface CommandDialogProps {
  readonly targets: readonly CommandTarget[];
  readonly onClose: () => void;
}

/** One command to the servers that are selected. */
export function CommandDialog({ targets, onClose }: CommandDialogProps) {
  const { t } = useI18n();
  return (
    <Dialog title={t('servers.command')} size="large" onClose={onClose}>
      <ToolsTexts>
        <CommandMany targets={targets} />
      </ToolsTexts>
    </Dialog>
  );
}
