import type { GiftCode } from '@panel/client';
import { useState } from 'react';
import { useI18n } from '../../i18n/i18n.js';
import { useChange, useData } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { useConfirm } from '../../ui/confirm-later.js';
import { Dialog } from '../../ui/dialog.js';
import { Menu } from '../../ui/menu.js';
import { Card } from '../../ui/page.js';
import { Empty, Loaded } from '../../ui/states.js';
import { ResourceTable, Table } from '../../ui/table.js';
import { CreateGiftCodes } from './create-gift-codes.js';
import { staleBilling, useBillingDenial } from './rights.js';

export function GiftCodes() {
  const { t, date, money } = useI18n();
  const why = useBillingDenial();
  const [isCreating, setIsCreating] = useState(false);
  const [shown, setShown] = useState<GiftCode | null>(null);
  const { confirm, dialog } = useConfirm();
  const remove = useChange(
    async (client, id: string) => client.delete('/admin/billing/gift-codes/{id}', { params: { id } }),
    staleBilling,
  );
  const askToRemove = ({ id, note, amount }: GiftCode) =>
    confirm({
      title: note || money(amount),
      text: t('staff.gift-code-remove-text'),
      action: t('action.remove'),
      onConfirm: async () => remove.mutateAsync(id),
    });
  return (
    <Card
      title={t('staff.gift-codes')}
      actions={
        <Button kind="primary" why={why('billing.create')} onClick={() => setIsCreating(true)}>
          {t('staff.create-gift-codes')}
        </Button>
      }
    >
      <ResourceTable
        label={t('staff.gift-codes')}
        queryKey={['staff', 'billing', 'gift-codes']}
        read={async (client, query) => client.get('/admin/billing/gift-codes', { query })}
        empty={t('staff.no-gift-codes')}
        hasSearch
        idOf={({ id }) => id}
        columns={[
          { label: t('staff.gift-code-note'), cell: ({ note, id }) => note || id.slice(0, 8), isName: true },
          { label: t('staff.value'), cell: ({ amount }) => money(amount), isNumber: true },
          { label: t('staff.uses'), cell: ({ redeemed, uses }) => `${redeemed} / ${uses}`, isNumber: true },
          { label: t('field.expires'), cell: ({ expires_at }) => date(expires_at) },
          { label: t('activity.when'), cell: ({ created_at }) => date(created_at) },
        ]}
        actions={(code) => (
          <Menu
            label={t('servers.actions', { name: code.note || code.id.slice(0, 8) })}
            items={[
              { label: t('staff.redeemed-by'), act: () => setShown(code) },
              {
                label: t('action.remove'),
                isDanger: true,
                why: why('billing.delete'),
                act: () => askToRemove(code),
              },
            ]}
          />
        )}
      />
      {isCreating ? <CreateGiftCodes onClose={() => setIsCreating(false)} /> : null}
      {shown ? <Redemptions giftCodeId={shown.id} onClose={() => setShown(null)} /> : null}
      {dialog}
    </Card>
  );
}

function Redemptions({ giftCodeId, onClose }: { readonly giftCodeId: string; readonly onClose: () => void }) {
  const { t, date } = useI18n();
  const giftCode = useData(
    ['staff', 'billing', 'gift-codes', giftCodeId],
    async (client) => (await client.get('/admin/billing/gift-codes/{id}', { params: { id: giftCodeId } })).data,
  );
  return (
    <Dialog title={t('staff.redeemed-by')} onClose={onClose}>
      <Loaded query={giftCode}>
        {({ redemptions }) =>
          redemptions.length === 0 ? (
            <Empty text={t('staff.not-redeemed')} />
          ) : (
            <Table
              label={t('staff.redeemed-by')}
              items={redemptions}
              idOf={({ user_id }) => user_id}
              columns={[
                { label: t('staff.redeemed-by'), cell: ({ user_id }) => <code>{user_id}</code>, isName: true },
                { label: t('activity.when'), cell: ({ redeemed_at }) => date(redeemed_at) },
              ]}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}
