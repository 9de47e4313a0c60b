import { type ReactNode, useState } from 'react';
import type { Node } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useStaffRights } from '../../api/queries.js';
import { useChange } from '../../api/use-data.js';
import { useConfirm } from '../../ui/confirm-later.js';
import { useToasts } from '../../ui/toasts.js';
import { CreateServer } from '../create-server.js';
import type { Decision, Difference } from './differences.js';

const stale = [['staff', 'nodes'], ['staff', 'servers'], ['servers']];

/** Reading the addresses of the node is part of an adoption. */
const rights: Readonly<Record<Decision, readonly string[]>> = {
  adopt: ['servers.create', 'allocations.view'],
  move: ['servers.transfer'],
  forget: ['servers.delete'],
  remove: ['servers.delete'],
};

interface Decisions {
  /** Asks first. */
  readonly decide: (decision: Decision, difference: Difference) => void;
  readonly why: (decision: Decision) => string | null;
  /** Render it. */
  readonly dialog: ReactNode;
}

/** About differences of a node. An older database holds the removal of files back. */
export function useDecisions(node: Node, isDatabaseOlder: boolean): Decisions {
  const { t } = useI18n();
  const { may } = useStaffRights();
  const toasts = useToasts();
  const { confirm, dialog } = useConfirm();
  const [adoptedId, setAdoptedId] = useState<string | null>(null);
  const move = useChange(
    async (client, id: string) =>
      client.post('/admin/servers/{id}/transfer', { params: { id }, body: { node_id: node.id, has_files: true } }),
    stale,
  );
  const forget = useChange(
    async (client, id: string) => client.delete('/admin/servers/{id}', { params: { id }, query: { force: 'true' } }),
    stale,
  );
  const remove = useChange(
    async (client, server_id: string) =>
      client.delete('/admin/nodes/{id}/volumes/{server-id}', { params: { id: node.id, server_id } }),
    stale,
  );
  const decide = (decision: Decision, { serverId, server }: Difference): void => {
    const name = server?.name ?? serverId;
    const action = t(`node-report.${decision}`);
    const title = `${action}: ${name}`;
    switch (decision) {
      case 'adopt':
        setAdoptedId(serverId);
        break;
      case 'move':
        confirm({
          title,
          text: t('node-report.move-text', { name, node: node.name }),
          action,
          onConfirm: async () => {
            await move.mutateAsync(serverId);
            toasts.show(t('node-report.moving', { name, node: node.name }));
          },
        });
        break;
      case 'forget':
        confirm({
          title,
          text: t('node-report.forget-text', { name, node: node.name }),
          action,
          typed: name,
          onConfirm: async () => forget.mutateAsync(serverId),
        });
        break;
      case 'remove':
        confirm({
          title,
          text: t('node-report.remove-text', { node: node.name }),
          action,
          typed: serverId.slice(0, 8),
          onConfirm: async () => remove.mutateAsync(serverId),
          children: <code>{directoryOf(node, serverId)}</code>,
        });
    }
  };
  return {
    decide,
    why: (decision) => {
      const right = rights[decision].find((name) => !may(name));
      if (right !== undefined) return t('staff.why', { right });
      return decision === 'remove' && isDatabaseOlder ? t('node-report.remove-later') : null;
    },
    dialog: (
      <>
        {adoptedId === null ? null : (
          <CreateServer adopted={{ serverId: adoptedId, node }} onClose={() => setAdoptedId(null)} />
        )}
        {dialog}
      </>
    ),
  };
}

function directoryOf({ data_root }: Node, serverId: string): string {
  return `${data_root.replace(/\/+$/, '')}/servers/${serverId}`;
}
