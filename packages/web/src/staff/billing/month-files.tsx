import type { PanelClient } from '@panel/client';
import { useState } from 'react';
import { useI18n } from '../../i18n/i18n.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/page.js';
import { lastMonth } from './report-totals.js';
import { useFile } from './use-file.js';

const journal = '/admin/billing/reports/journal';

/** The journal of a month and its documents. */
export function MonthFiles() {
  const { t } = useI18n();
  const { save, saving } = useFile();
  const [month, setMonth] = useState(() => lastMonth(new Date()));
  const why = month === '' && t('accounting.no-month');
  const file = (label: string, name: string, read: (client: PanelClient) => Promise<Response>) => (
    <Button why={why} isBusy={saving === name} onClick={() => void save(name, read)}>
      {label}
    </Button>
  );
  return (
    <Card title={t('accounting.files')}>
      <div className="fields">
        <div className="field">
          <label htmlFor="files-month">{t('cron.month')}</label>
          <input
            id="files-month"
            type="month"
            value={month}
            onChange={({ target }) => setMonth(target.value)}
            aria-describedby="files-hint"
          />
        </div>
      </div>
      <div className="toolbar">
        {file(t('accounting.journal-csv'), `journal-${month}.csv`, async (client) =>
          client.download(journal, { query: { month, format: 'csv' }, headers: { accept: 'text/csv' } }),
        )}
        {file(t('accounting.journal-ndjson'), `journal-${month}.ndjson`, async (client) =>
          client.download(journal, { query: { month, format: 'ndjson' } }),
        )}
        {file(t('accounting.journal-datev'), `EXTF_Buchungsstapel_${month}.csv`, async (client) =>
          client.download(journal, { query: { month, format: 'datev' } }),
        )}
        {file(t('accounting.documents'), `documents-${month}.zip`, async (client) =>
          client.download('/admin/billing/reports/documents', { query: { month } }),
        )}
      </div>
      <p id="files-hint" className="faint">
        {t('accounting.files-hint')}
      </p>
    </Card>
  );
}
