import { Search } from 'lucide-react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from './button.js';

export function SearchBox({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  return (
    <label className="search">
      <Search aria-hidden />
      <span className="only-read">{label}</span>
      <input
        type="search"
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        data-search
      />
    </label>
  );
}

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

export function Pager({ page, pages, total, onPage }: PagerProps) {
  const { t } = useI18n();
  if (pages < 2) return null;
  return (
    <nav className="pager" aria-label={t('table.pages')}>
      <Button onClick={() => onPage(page - 1)} why={page <= 1 && t('table.first-page')}>
        {t('table.previous')}
      </Button>
      <span>{t('table.page', { page, pages, total })}</span>
      <Button onClick={() => onPage(page + 1)} why={page >= pages && t('table.last-page')}>
        {t('table.next')}
      </Button>
    </nav>
  );
}
