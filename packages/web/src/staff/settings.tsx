import { useState } from 'react';
import type { Settings } from '@panel/client';
import { useSavedBrand } from './saved-brand.js';
import { type Locale, locales, useI18n } from '../i18n/i18n.js';
import { useStaffRights } from '../api/queries.js';
import { useChange, useData } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { FormDialog, textOf } from '../ui/form-dialog.js';
import { type Field, type FieldValue, Form } from '../ui/form.js';
import { Card, Page } from '../ui/page.js';
import { Loaded } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';
import { BrandCard } from './brand-card.js';

type Group = Exclude<keyof Settings, 'brand'>;

const groups: readonly Group[] = ['general', 'mail', 'security', 'billing', 'servers'];

const choices: Readonly<Record<string, readonly string[]>> = {
  driver: ['log', 'smtp'],
  encryption: ['none', 'starttls', 'tls'],
  require_2fa: ['none', 'admins', 'all'],
  tax_scheme: ['none', 'fixed', 'eu'],
  vat_check: ['off', 'accept', 'tax'],
  locale: Object.keys(locales),
};

export function StaffSettings() {
  const { t, maybe } = useI18n();
  const { may } = useStaffRights();
  const toasts = useToasts();
  const showBrand = useSavedBrand();
  const [isTesting, setIsTesting] = useState(false);
  const settings = useData(['staff', 'settings'], async (client) => (await client.get('/admin/settings')).data);
  const change = useChange(
    async (client, body: Partial<Record<Group, Record<string, FieldValue>>>) =>
      (await client.put('/admin/settings', { body })).data,
    [['staff', 'settings']],
  );
  const test = useChange(
    async (client, to: string | undefined) =>
      (await client.post('/admin/settings/email/test', { body: to === undefined ? {} : { to } })).data,
  );
  const why = !may('settings.update') && t('staff.why', { right: 'settings.update' });
  const choiceText = (name: string, option: string): string =>
    name === 'locale' ? (locales[option as Locale] ?? option) : maybe(`choice.${name}.${option}`, option);
  const field = (name: string, value: FieldValue): Field => {
    const known = choices[name];
    const options = known && new Set([...known, String(value)]);
    return {
      name,
      label: maybe(`setting.${name}`, name),
      value,
      type: options
        ? 'select'
        : typeof value === 'boolean'
          ? 'check'
          : typeof value === 'number'
            ? 'number'
            : name === 'password'
              ? 'password'
              : 'text',
      ...(options
        ? { options: [...options].map((option) => ({ value: option, label: choiceText(name, option) })) }
        : {}),
      ...(name === 'password' ? { autoComplete: 'off' } : {}),
    };
  };
  return (
    <Page title={t('nav.settings')}>
      <Loaded query={settings} rows={6}>
        {(data) => (
          <>
            <BrandCard brand={data.brand} why={why} />
            {groups.map((group) => (
              <Card
                key={group}
                title={maybe(`setting-group.${group}`, group)}
                actions={
                  group === 'mail' ? (
                    <Button why={why} onClick={() => setIsTesting(true)}>
                      {t('staff.test-mail')}
                    </Button>
                  ) : null
                }
              >
                <Form
                  fields={Object.entries(data[group]).map(([name, value]) => field(name, value))}
                  action={t('action.save')}
                  why={why}
                  onSubmit={async (values) => {
                    const old = data[group] as Record<string, FieldValue>;
                    const changed = Object.fromEntries(
                      Object.entries(values).filter(([name, value]) => value !== old[name]),
                    );
                    showBrand(await change.mutateAsync({ [group]: changed }));
                    toasts.show(t('action.saved'));
                  }}
                />
              </Card>
            ))}
          </>
        )}
      </Loaded>
      {isTesting ? (
        <FormDialog
          title={t('staff.test-mail')}
          action={t('console.send')}
          onClose={() => setIsTesting(false)}
          fields={[
            { name: 'to', label: t('field.email'), type: 'email', hint: t('staff.test-mail-hint'), isWide: true },
          ]}
          onSubmit={async ({ to }) => {
            await test.mutateAsync(textOf(to));
            toasts.show(t('staff.test-mail-sent'));
          }}
        />
      ) : null}
    </Page>
  );
}
