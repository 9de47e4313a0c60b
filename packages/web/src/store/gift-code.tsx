import { useI18n } from '../i18n/i18n.js';
import { useCreate } from '../api/use-data.js';
import { Form } from '../ui/form.js';
import { Card } from '../ui/page.js';

export function RedeemGiftCode() {
  const { t } = useI18n();
  const redeem = useCreate(
    async (client, code: string, idempotencyKey) =>
      client.post('/billing/gift-codes/redeem', { body: { code }, idempotencyKey }),
    [['billing', 'credits']],
  );
  return (
    <Card title={t('billing.gift-code')}>
      <Form
        fields={[{ name: 'code', label: t('billing.gift-code'), isRequired: true, maxLength: 100 }]}
        action={t('billing.redeem')}
        onSubmit={async ({ code }) => redeem.mutateAsync(String(code))}
      />
    </Card>
  );
}
