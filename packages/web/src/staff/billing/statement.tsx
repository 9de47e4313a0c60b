import type { BankStatement } from '@panel/client';
import { useState } from 'react';
import { useChange } from '../../api/use-data.js';
import { useI18n } from '../../i18n/i18n.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Empty } from '../../ui/states.js';
import { Table } from '../../ui/table.js';
import { useToasts } from '../../ui/toasts.js';
import { staleBilling } from './rights.js';

interface File {
  readonly format: 'camt' | 'csv';
  readonly content: string;
}

/** Shows what a file would book before it does. */
export function StatementDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useI18n();
  const toasts = useToasts();
  const [file, setFile] = useState<File | null>(null);
  const [found, setFound] = useState<BankStatement['entries'] | null>(null);
  const read = useChange(
    async (client, { dry_run, ...body }: File & { readonly dry_run: boolean }) =>
      (await client.post('/admin/billing/bank-statements', { body: { ...body, dry_run } })).data.entries,
    staleBilling,
  );
  const show = async (next: File, dry_run: boolean): Promise<void> => {
    try {
      setFound(await read.mutateAsync({ ...next, dry_run }));
      setFile(dry_run ? next : null);
    } catch (error) {
      toasts.showError(error);
    }
  };
  const open = async (chosen: Blob | undefined): Promise<void> => {
    if (!chosen) return;
    const content = textOf(await chosen.arrayBuffer());
    await show({ format: content.trimStart().startsWith('<') ? 'camt' : 'csv', content }, true);
  };
  return (
    <Dialog title={t('statement.import')} size="large" onClose={onClose}>
      <label>
        {t('statement.file')}
        <input type="file" accept=".xml,.csv,.txt" onChange={(event) => void open(event.target.files?.[0])} />
      </label>
      {found === null ? null : <Entries entries={found} />}
      {file === null ? null : (
        <Button kind="primary" onClick={() => void show(file, false)}>
          {t('statement.book')}
        </Button>
      )}
    </Dialog>
  );
}

function Entries({ entries }: { readonly entries: BankStatement['entries'] }) {
  const { t, maybe, money } = useI18n();
  if (entries.length === 0) return <Empty text={t('statement.none')} />;
  return (
    <Table
      label={t('statement.import')}
      items={entries.map((entry, index) => ({ ...entry, index }))}
      idOf={({ index }) => String(index)}
      columns={[
        { label: t('statement.text'), cell: ({ text }) => text, isName: true },
        { label: t('statement.payer'), cell: ({ payer }) => payer ?? '–' },
        { label: t('activity.when'), cell: ({ date }) => date },
        { label: t('store.total'), cell: ({ amount }) => money(amount), isNumber: true },
        { label: t('statement.result'), cell: ({ result }) => maybe(`statement.result-${result}`, result) },
      ]}
    />
  );
}

/** Banks still write Windows-1252. */
function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
