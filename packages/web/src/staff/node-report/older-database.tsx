import type { Node } from '@panel/client';
import { useI18n } from '../../i18n/i18n.js';
import { useStaffRights } from '../../api/queries.js';
import { useChange } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { useConfirm } from '../../ui/confirm-later.js';
import { Note } from '../../ui/states.js';
import { useToasts } from '../../ui/toasts.js';
import { type Differences, undecidedOf } from './differences.js';

/** Why nothing starts on the node, and what ends that. */
export function OlderDatabase({ node, differences }: { readonly node: Node; readonly differences: Differences }) {
  const { t } = useI18n();
  const { may } = useStaffRights();
  const toasts = useToasts();
  const { confirm, dialog } = useConfirm();
  const accept = useChange(
    async (client) => client.post('/admin/nodes/{id}/report/accept', { params: { id: node.id } }),
    [['staff', 'nodes']],
  );
  const askToAccept = () => {
    const undecided = undecidedOf(differences);
    confirm({
      title: t('node-report.accept-files', { node: node.name }),
      text: t('node-report.accept-text'),
      action: t('node-report.accept'),
      onConfirm: async () => {
        await accept.mutateAsync(undefined);
        toasts.show(t('node-report.accepted'));
      },
      children:
        undecided.length === 0 ? (
          <p>{t('node-report.all-decided')}</p>
        ) : (
          <Note kind="warning">
            <p>{t('node-report.undecided')}</p>
            <ul>
              {undecided.map(({ kind, count }) => (
                <li key={kind}>{t(`node-report.left-${kind}`, { count })}</li>
              ))}
            </ul>
          </Note>
        ),
    });
  };
  return (
    <>
      <Note kind="warning">
        <p>
          <strong>{t('node-report.older')}</strong>
        </p>
        <p>{t('node-report.older-what')}</p>
        <Button
          kind="primary"
          why={!may('nodes.update') && t('staff.why', { right: 'nodes.update' })}
          onClick={askToAccept}
        >
          {t('node-report.accept')}
        </Button>
      </Note>
      {dialog}
    </>
  );
}
