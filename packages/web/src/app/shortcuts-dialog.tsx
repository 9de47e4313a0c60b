import { type Key, useI18n } from '../i18n/i18n.js';
import { paletteTexts } from '../i18n/texts/palette/palette-texts.js';
import { withTexts } from '../i18n/with-texts.js';
import { Dialog } from '../ui/dialog.js';

const descriptions: readonly (readonly [keys: string, label: Key])[] = [
  ['Ctrl K', 'shortcut.palette'],
  ['?', 'shortcut.shortcuts'],
  ['/', 'shortcut.search'],
  ['c', 'nav.calls'],
  ['g s', 'nav.servers'],
  ['g w', 'servers.consoles'],
  ['g t', 'nav.store'],
  ['g b', 'nav.billing'],
  ['g a', 'nav.account'],
  ['g o', 'nav.overview'],
];

export const ShortcutsDialog = withTexts([paletteTexts], Shortcuts);

function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const { t } = useI18n();
  return (
    <Dialog title={t('shortcut.shortcuts')} onClose={onClose}>
      <dl className="facts">
        {descriptions.map(([keys, label]) => (
          <div key={keys}>
            <dt>{t(label)}</dt>
            <dd>
              <kbd>{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
