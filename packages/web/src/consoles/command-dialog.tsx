import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { consolesTexts } from '../i18n/texts/consoles/consoles-texts.js';
import { Dialog } from '../ui/dialog.js';
import { CommandMany, type CommandTarget } from './command-many.js';

const Commands = withTexts([consolesTexts], CommandMany);

interface CommandDialogProps {
  readonly targets: readonly CommandTarget[];
  readonly onClose: () => void;
}

export function CommandDialog({ targets, onClose }: CommandDialogProps) {
  const { t } = useI18n();
  return (
    <Dialog title={t('servers.command')} size="large" onClose={onClose}>
      <Commands targets={targets} />
    </Dialog>
  );
}
