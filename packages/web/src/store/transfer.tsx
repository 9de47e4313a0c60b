import { useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { CopyText } from '../ui/copy.js';
import { Dialog } from '../ui/dialog.js';
import { Facts } from '../ui/page.js';
import { Loaded } from '../ui/states.js';

/** Where the money of an invoice goes. */
export function TransferDialog({ invoiceId, onClose }: { readonly invoiceId: string; readonly onClose: () => void }) {
  const { t, money, date } = useI18n();
  const transfer = useData(
    ['billing', 'transfer', invoiceId],
    async (client) => (await client.get('/billing/invoices/{id}/bank-transfer', { params: { id: invoiceId } })).data,
  );
  return (
    <Dialog title={t('billing.transfer')} onClose={onClose}>
      <Loaded query={transfer}>
        {({ account_holder, iban, bic, instructions, amount, reference, due_at, qr_code }) => (
          <>
            <p>{t('billing.transfer-text')}</p>
            <Facts
              facts={[
                [t('billing.transfer-account-holder'), account_holder],
                ...(iban === null ? [] : [['IBAN', <CopyText key="iban" text={iban} />] as const]),
                ...(bic === null ? [] : [['BIC', <CopyText key="bic" text={bic} />] as const]),
                [t('billing.transfer-amount'), money(amount)],
                [t('billing.transfer-reference'), <CopyText key="reference" text={reference} />],
                [t('billing.transfer-due'), date(due_at)],
              ]}
            />
            {instructions === null ? null : <p>{instructions}</p>}
            {qr_code === null ? null : <img src={qr_code} alt={t('billing.transfer-qr')} width={200} height={200} />}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
