import { useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import type { Field } from '../ui/form.js';

export function usePaymentMethods() {
  const { t, maybe } = useI18n();
  const methods = useData(
    ['billing', 'methods'],
    async (client) => (await client.get('/billing/payment-methods')).data.methods,
  );
  const list = (methods.data ?? []).map((method) => ({ value: method, label: maybe(`payment.${method}`, method) }));
  const field: Field = {
    name: 'payment_method',
    label: t('store.payment-method'),
    type: 'select',
    options: list,
    isRequired: true,
    isWide: true,
  };
  return { list, field, isLoading: methods.isPending };
}
