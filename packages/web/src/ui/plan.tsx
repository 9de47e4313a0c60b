import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Table } from './table.js';

interface PlannedChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

interface Question {
  readonly changes: readonly PlannedChange[];
  readonly answer: (isAgreed: boolean) => void;
}

interface PlanOptions {
  readonly text: string;
}

/** Awaits a confirmation. Render `dialog`. */
export function usePlan({ text }: PlanOptions): {
  readonly ask: (changes: readonly PlannedChange[]) => Promise<boolean>;
  readonly dialog: ReactNode;
} {
  const { t } = useI18n();
  const [question, setQuestion] = useState<Question | null>(null);
  const ask = async (changes: readonly PlannedChange[]): Promise<boolean> =>
    new Promise((resolve) => {
      setQuestion({
        changes,
        answer: (isAgreed) => {
          setQuestion(null);
          resolve(isAgreed);
        },
      });
    });
  const dialog = question ? (
    <Dialog
      title={t('plan.title', { count: question.changes.length })}
      size="large"
      onClose={() => question.answer(false)}
    >
      <p>{text}</p>
      <Table
        label={t('plan.title', { count: question.changes.length })}
        items={question.changes}
        idOf={({ name }) => name}
        columns={[
          { label: t('field.name'), cell: ({ name }) => name, isName: true },
          { label: t('plan.before'), cell: ({ before }) => <code dir="auto">{before === '' ? '–' : before}</code> },
          { label: t('plan.after'), cell: ({ after }) => <code dir="auto">{after === '' ? '–' : after}</code> },
        ]}
      />
      <div className="actions">
        <Button onClick={() => question.answer(false)}>{t('action.cancel')}</Button>
        <Button kind="primary" onClick={() => question.answer(true)}>
          {t('action.save')}
        </Button>
      </div>
    </Dialog>
  ) : null;
  return { ask, dialog };
}
