import { Link } from 'wouter';
import { useI18n } from '../i18n/i18n.js';
import { firstStepsTexts } from '../i18n/texts/first-steps/first-steps-texts.js';
import { withTexts } from '../i18n/with-texts.js';
import { useData } from '../api/use-data.js';
import { Card } from '../ui/page.js';

export const FirstSteps = withTexts([firstStepsTexts], Steps);

function Steps() {
  const { t } = useI18n();
  const nodes = useData(
    ['staff', 'nodes', 'count'],
    async (client) => (await client.get('/admin/nodes', { query: { per_page: 1 } })).meta.total,
  );
  const nests = useData(
    ['staff', 'nests', 'count'],
    async (client) => (await client.get('/admin/nests', { query: { per_page: 100 } })).data,
  );
  const hasEgg = nests.data?.some(({ eggs_count }) => eggs_count > 0);
  const steps = [
    { to: '/staff/nodes', label: t('first.node'), isDone: (nodes.data ?? 0) > 0 },
    { to: '/staff/eggs', label: t('first.egg'), isDone: hasEgg === true },
    { to: '/staff/servers?create', label: t('first.server'), isDone: false },
  ];
  return (
    <Card title={t('first.title')}>
      <p>{t('first.text')}</p>
      <ol className="steps">
        {steps.map(({ to, label, isDone }) => (
          <li key={to} data-done={isDone || undefined}>
            <Link to={to}>{label}</Link>
          </li>
        ))}
      </ol>
    </Card>
  );
}
