import { SunMoon } from 'lucide-react';
import { useState } from 'react';
import { type Locale, locales, useI18n } from '../i18n/i18n.js';
import { Button } from './button.js';
import { applyTheme, storedTheme, type Theme } from './theme.js';

export function LocaleSelect() {
  const { t, locale, setLocale } = useI18n();
  return (
    <label>
      <span className="only-read">{t('nav.language')}</span>
      <select value={locale} onChange={(event) => setLocale(event.target.value as Locale)}>
        {Object.entries(locales).map(([tag, name]) => (
          <option key={tag} value={tag}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

const themes: readonly Theme[] = ['system', 'light', 'dark'];

export function ThemeButton() {
  const { t } = useI18n();
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <Button
      kind="quiet"
      label={t('nav.theme', { theme: t(`theme.${theme}`) })}
      icon={<SunMoon />}
      onClick={() => {
        applyTheme(next);
        setTheme(next);
      }}
    />
  );
}
