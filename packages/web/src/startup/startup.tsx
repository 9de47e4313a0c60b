import type { Startup } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { withTexts } from '../i18n/with-texts.js';
import { resourceTexts } from '../i18n/texts/resources/resources-texts.js';
import { startupTexts } from '../i18n/texts/startup/startup-texts.js';
import { useChange, useData } from '../api/use-data.js';
import { type Field, Form } from '../ui/form.js';
import { Card } from '../ui/page.js';
import { usePlan } from '../ui/plan.js';
import { Empty, Loaded, Note } from '../ui/states.js';
import { useToasts } from '../ui/toasts.js';
import { ImageChoice } from './image-choice.js';
import { PendingChanges } from './pending-changes.js';
import { useLiveStatus, useServer } from '../server/server-context.js';

export const StartupPage = withTexts([resourceTexts, startupTexts], Startups);

function Startups() {
  const { t } = useI18n();
  const { id, why } = useServer();
  const status = useLiveStatus();
  const toasts = useToasts();
  const plan = usePlan({ text: t('startup.next-start') });
  const startup = useData(
    ['server', id, 'startup'],
    async (client) => (await client.get('/servers/{id}/startup', { params: { id } })).data,
  );
  const change = useChange(
    async (client, body: { environment?: Record<string, string>; startup_command?: string }) =>
      client.put('/servers/{id}/startup', { params: { id }, body }),
    [['server', id]],
  );
  return (
    <Loaded query={startup} rows={5}>
      {(data) => (
        <div className="stack">
          {plan.dialog}
          <PendingChanges />
          {status === 'offline' ? null : <Note>{t('startup.next-start')}</Note>}
          <Card title={t('startup.command')}>
            <code dir="ltr">{data.invocation}</code>
          </Card>
          <CommandChoice startup={data} why={why('startup.update')} onChoose={change.mutateAsync} />
          <ImageChoice image={data.docker_image} />
          <Card title={t('startup.variables')}>
            {data.variables.length === 0 ? (
              <Empty text={t('startup.none')} />
            ) : (
              <Form
                fields={data.variables.map(variableField)}
                action={t('action.save')}
                why={why('startup.update')}
                onSubmit={async (values) => {
                  const editable = data.variables.filter(({ is_editable }) => is_editable);
                  const changed = editable.filter((one) => String(values[one.env_variable]) !== one.server_value);
                  const environment = Object.fromEntries(
                    changed.map((one) => [one.env_variable, String(values[one.env_variable])]),
                  );
                  if (changed.length === 0) return;
                  const planned = changed.map(({ name, env_variable, server_value }) => ({
                    name,
                    before: server_value,
                    after: environment[env_variable] ?? '',
                  }));
                  if (!(await plan.ask(planned))) return;
                  await change.mutateAsync({ environment });
                  toasts.show(t('startup.saved'));
                }}
              />
            )}
          </Card>
        </div>
      )}
    </Loaded>
  );
}

interface ChoiceProps {
  readonly startup: Startup;
  readonly why: string | null;
  readonly onChoose: (body: { startup_command: string }) => Promise<unknown>;
}

function CommandChoice({ startup, why, onChoose }: ChoiceProps) {
  const { t } = useI18n();
  const labels = Object.keys(startup.startup_commands);
  if (labels.length < 2) return null;
  return (
    <Card title={t('startup.choice')}>
      <Form
        fields={[
          {
            name: 'startup_command',
            label: t('startup.choice'),
            type: 'select',
            value: startup.startup_command ?? labels[0] ?? '',
            options: labels.map((label) => ({ value: label, label })),
          },
        ]}
        action={t('action.save')}
        why={why}
        onSubmit={async ({ startup_command }) => onChoose({ startup_command: String(startup_command) })}
      />
    </Card>
  );
}

/** With the egg rules' constraints; the panel checks all rules. */
function variableField(variable: Startup['variables'][number]): Field {
  const { name, env_variable, description, server_value, is_editable, rules } = variable;
  const choice = rules
    .find((rule) => rule.startsWith('in:'))
    ?.slice(3)
    .split(',');
  const longest = rules.find((rule) => rule.startsWith('max:'))?.slice(4);
  const isNumber = rules.some((rule) => rule === 'integer' || rule === 'numeric');
  return {
    name: env_variable,
    label: name,
    hint: description,
    value: server_value,
    isReadOnly: !is_editable,
    isRequired: rules.includes('required'),
    ...(choice ? { type: 'select' as const, options: choice.map((value) => ({ value, label: value })) } : {}),
    ...(longest !== undefined && !isNumber ? { maxLength: Number(longest) } : {}),
  };
}
