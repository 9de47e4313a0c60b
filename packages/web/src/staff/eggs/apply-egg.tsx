import type { AppliedEgg, Egg, PanelClient } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useChange, useData } from '../../api/use-data.js';
import { Confirm } from '../../ui/confirm.js';
import { Loaded } from '../../ui/states.js';
import { useToasts } from '../../ui/toasts.js';

type AppliedServer = AppliedEgg['servers'][number];

/** Planned or applied, page by page. */
async function applyToAll(client: PanelClient, id: string, dry_run: boolean): Promise<AppliedServer[]> {
  const servers: AppliedServer[] = [];
  let after: string | null = null;
  do {
    const body: { dry_run: boolean; after?: string } = { dry_run, ...(after === null ? {} : { after }) };
    const { data }: { data: AppliedEgg } = await client.post('/admin/eggs/{id}/apply', { params: { id }, body });
    servers.push(...data.servers);
    after = data.next_server_id;
  } while (after !== null);
  return servers;
}

export function ApplyEgg({ egg, onClose }: { readonly egg: Egg; readonly onClose: () => void }) {
  const { t } = useI18n();
  const toasts = useToasts();
  const planned = useData(
    ['staff', 'eggs', 'one', egg.id, 'apply'],
    async (client) => applyToAll(client, egg.id, true),
    { staleTime: 0 },
  );
  const apply = useChange(async (client) => applyToAll(client, egg.id, false), [['staff', 'servers']]);
  return (
    <Confirm
      title={t('staff.egg-apply')}
      text={t('staff.egg-apply-text')}
      action={t('staff.egg-apply')}
      onConfirm={async () => {
        const servers = await apply.mutateAsync(undefined);
        const changed = servers.filter(({ outcome }) => outcome === 'changed').length;
        const busy = servers.filter(({ outcome }) => outcome === 'busy').length;
        toasts.show(t('staff.egg-applied', { changed, busy }));
      }}
      onClose={onClose}
    >
      <Loaded query={planned} rows={2}>
        {(servers) => {
          const changed = servers.filter(({ outcome }) => outcome !== 'unchanged');
          if (changed.length === 0) return <p>{t('staff.egg-no-changes')}</p>;
          return (
            <ul>
              {changed.map(({ id, name, differences }) => (
                <li key={id}>
                  {name}: {differences.map(({ field }) => field).join(', ')}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Confirm>
  );
}
