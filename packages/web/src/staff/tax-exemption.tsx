import type { AdminUser } from '@panel/client';
import { useChange, useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { FormDialog } from '../ui/form-dialog.js';

export function TaxExemptionDialog({ user, onClose }: { readonly user: AdminUser; readonly onClose: () => void }) {
  const { t } = useI18n();
  const params = { id: user.id };
  const queryKey = ['staff', 'billing-profile', user.id];
  const profile = useData(
    queryKey,
    async (client) => (await client.get('/admin/users/{id}/billing/profile', { params })).data,
  );
  const save = useChange(
    async (client, tax_exemption: string) =>
      client.put('/admin/users/{id}/billing/profile', { params, body: { tax_exemption } }),
    [queryKey],
  );
  return (
    <FormDialog
      isLoading={profile.data === undefined}
      title={`${user.email}: ${t('staff.tax-exemption')}`}
      action={t('action.save')}
      onClose={onClose}
      fields={[
        {
          name: 'tax_exemption',
          label: t('property.reason'),
          value: profile.data?.tax_exemption ?? '',
          hint: t('staff.tax-exemption-hint'),
          isWide: true,
        },
      ]}
      onSubmit={async ({ tax_exemption }) => save.mutateAsync(String(tax_exemption))}
    />
  );
}
