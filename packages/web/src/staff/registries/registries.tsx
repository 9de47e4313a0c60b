import { useState } from 'react';
import type { Registry } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useStaffRights } from '../../api/queries.js';
import { useChange } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { useConfirm } from '../../ui/confirm-later.js';
import { Menu } from '../../ui/menu.js';
import { Page } from '../../ui/page.js';
import { ResourceTable } from '../../ui/table.js';
import { useEggChoices } from '../choices.js';
import { RegistryDialog } from './registry-dialog.js';

const stale = [['staff', 'registries']];

export function Registries() {
  const { t, date } = useI18n();
  const { may } = useStaffRights();
  const [edited, setEdited] = useState<Registry | 'new' | null>(null);
  const { confirm, dialog } = useConfirm();
  const why = (right: string) => !may(right) && t('staff.why', { right });
  const remove = useChange(
    async (client, id: string) => client.delete('/admin/registries/{id}', { params: { id } }),
    stale,
  );
  const askToRemove = ({ id, host }: Registry) =>
    confirm({
      title: t('registries.remove'),
      text: t('registries.remove-text'),
      action: t('action.remove'),
      typed: host,
      onConfirm: async () => remove.mutateAsync(id),
    });
  return (
    <Page
      title={t('nav.registries')}
      actions={
        <Button kind="primary" why={why('nodes.create')} onClick={() => setEdited('new')}>
          {t('registries.add')}
        </Button>
      }
    >
      <ResourceTable
        label={t('nav.registries')}
        queryKey={['staff', 'registries']}
        read={async (client, query) => client.get('/admin/registries', { query })}
        hasSearch
        empty={t('registries.none')}
        idOf={({ id }) => id}
        columns={[
          { label: t('registries.host'), cell: ({ host }) => host, isName: true },
          {
            label: t('server.game'),
            cell: ({ egg_id }) => (egg_id === null ? t('registries.all-eggs') : <EggName id={egg_id} />),
          },
          { label: t('registries.kind'), cell: ({ kind }) => t(`registries.kind-${kind}`) },
          { label: t('field.username'), cell: ({ username }) => username || '–' },
          { label: t('registries.changed'), cell: ({ updated_at }) => date(updated_at) },
        ]}
        actions={(registry) => (
          <Menu
            label={t('servers.actions', { name: registry.host })}
            items={[
              { label: t('action.edit'), why: why('nodes.update'), act: () => setEdited(registry) },
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('nodes.delete'),
                act: () => askToRemove(registry),
              },
            ]}
          />
        )}
      />
      {edited ? <RegistryDialog registry={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      {dialog}
    </Page>
  );
}

function EggName({ id }: { readonly id: string }) {
  const eggs = useEggChoices();
  return eggs.list.find(({ value }) => value === id)?.label ?? id;
}
