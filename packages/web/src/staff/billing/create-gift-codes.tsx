import { useState } from 'react';
import { useI18n } from '../../i18n/i18n.js';
import { useCreate } from '../../api/use-data.js';
import { Button } from '../../ui/button.js';
import { CopyText } from '../../ui/copy.js';
import { Dialog } from '../../ui/dialog.js';
import { textOf } from '../../ui/form-dialog.js';
import { Form, type FormValues } from '../../ui/form.js';
import { Note } from '../../ui/states.js';
import { staleBilling } from './rights.js';

/** The answer alone has the codes. */
export function CreateGiftCodes({ onClose }: { readonly onClose: () => void }) {
  const { t } = useI18n();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const create = useCreate(async (client, values: FormValues, idempotencyKey) => {
    const expires = textOf(values.expires_at);
    const body = {
      code: textOf(values.code) ?? '',
      count: Number(values.count),
      amount: Number(values.amount),
      uses: Number(values.uses),
      expires_at: expires === undefined ? null : new Date(expires).toISOString(),
      note: textOf(values.note) ?? '',
    };
    return client.post('/admin/billing/gift-codes', { body, idempotencyKey });
  }, staleBilling);
  return (
    <Dialog title={t('staff.create-gift-codes')} onClose={onClose}>
      {codes === null ? (
        <Form
          fields={[
            { name: 'amount', label: t('staff.gift-code-amount'), type: 'number', min: 1, isRequired: true },
            { name: 'count', label: t('staff.gift-code-count'), type: 'number', value: 1, min: 1, isRequired: true },
            { name: 'uses', label: t('staff.uses'), type: 'number', value: 1, min: 1, isRequired: true },
            { name: 'code', label: t('billing.gift-code'), hint: t('staff.gift-code-hint'), maxLength: 50 },
            { name: 'note', label: t('staff.gift-code-note'), maxLength: 200 },
            { name: 'expires_at', label: t('field.expires'), type: 'date' },
          ]}
          action={t('staff.create-gift-codes')}
          onCancel={onClose}
          onSubmit={async (values) => {
            const { data } = await create.mutateAsync(values);
            setCodes(data.gift_codes.map(({ code }) => code ?? ''));
          }}
        />
      ) : (
        <>
          <Note kind="warning">{t('staff.gift-codes-once')}</Note>
          {codes.length === 1 ? (
            <CopyText text={codes.join('')} />
          ) : (
            <textarea readOnly rows={10} aria-label={t('staff.gift-codes')} value={codes.join('\n')} />
          )}
          <div className="actions">
            <Button kind="primary" onClick={onClose}>
              {t('action.close')}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
