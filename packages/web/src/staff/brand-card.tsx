import '../style/pages.css';
import { useState } from 'react';
import type { Settings } from '@panel/client';
import { useSavedBrand } from './saved-brand.js';
import { useI18n } from '../i18n/i18n.js';
import { useChange } from '../api/use-data.js';
import { Button } from '../ui/button.js';
import { FieldFrame, Form } from '../ui/form.js';
import { Card } from '../ui/page.js';
import { useToasts } from '../ui/toasts.js';

type BrandSettings = Settings['brand'];

interface BrandCardProps {
  readonly brand: BrandSettings;
  readonly why: string | false;
}

const colourPattern = '#[0-9A-Fa-f]{6}';

export function BrandCard({ brand, why }: BrandCardProps) {
  const { t } = useI18n();
  const toasts = useToasts();
  const showBrand = useSavedBrand();
  const [chosenLogo, setLogo] = useState<string | null>(null);
  const logo = chosenLogo ?? brand.logo ?? '';
  const save = useChange(
    async (client, body: BrandSettings) => (await client.put('/admin/settings', { body: { brand: body } })).data,
    [['staff', 'settings']],
  );
  return (
    <Card title={t('brand.title')}>
      <Form
        fields={[
          { name: 'name', label: t('field.name'), value: brand.name ?? '', maxLength: 100, hint: t('brand.name-hint') },
          {
            name: 'primary_colour',
            label: t('brand.primary'),
            value: brand.primary_colour ?? '',
            pattern: colourPattern,
            hint: t('brand.colour-hint'),
          },
          {
            name: 'accent_colour',
            label: t('brand.accent'),
            value: brand.accent_colour ?? '',
            pattern: colourPattern,
            hint: t('brand.colour-hint'),
          },
        ]}
        action={t('action.save')}
        why={why}
        onSubmit={async ({ name, primary_colour, accent_colour }) => {
          const saved = await save.mutateAsync({
            name: String(name),
            primary_colour: String(primary_colour),
            accent_colour: String(accent_colour),
            ...(chosenLogo === null ? {} : { logo: chosenLogo }),
          });
          showBrand(saved);
          setLogo(null);
          toasts.show(t('action.saved'));
        }}
      >
        {(problems) => (
          <>
            <FieldFrame
              label={t('brand.logo')}
              hint={t('brand.logo-hint')}
              problems={problems.logo ?? problems['brand.logo']}
            >
              {(attributes) => (
                <input
                  {...attributes}
                  type="file"
                  accept="image/png,image/webp,image/jpeg"
                  onChange={({ target }) => {
                    const file = target.files?.[0];
                    if (file) void readDataUrl(file).then(setLogo, toasts.showError);
                  }}
                />
              )}
            </FieldFrame>
            {logo === '' ? null : (
              <div className="row">
                <img className="logo" src={logo} alt={t('brand.logo')} />
                <Button onClick={() => setLogo('')}>{t('action.remove')}</Button>
              </div>
            )}
          </>
        )}
      </Form>
    </Card>
  );
}

async function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file cannot be read')));
    reader.readAsDataURL(file);
  });
}
