import { useI18n } from '../i18n/i18n.js';
import { usePreferences } from '../api/queries.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';

export function GroupDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t } = useI18n();
  const { preferences, save } = usePreferences();
  return (
    <Dialog title={t('servers.group')} onClose={onClose}>
      <Form
        fields={[
          {
            name: 'group',
            label: t('servers.group-name'),
            value: preferences.groups[id] ?? '',
            maxLength: 40,
            hint: t('servers.group-hint'),
          },
        ]}
        action={t('action.save')}
        onSubmit={async ({ group }) => {
          const { [id]: _, ...others } = preferences.groups;
          const named = String(group).trim();
          save({ groups: named === '' ? others : { ...others, [id]: named } });
          onClose();
        }}
      />
    </Dialog>
  );
}
