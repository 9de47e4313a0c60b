import type { Schedule } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { FieldFrame, type Problems } from '../ui/form.js';

export type Trigger = Schedule['trigger'];

const kinds: readonly Trigger['kind'][] = [
  'cron',
  'server_started',
  'server_crashed',
  'players_empty',
  'backup_failed',
  'webhook',
];

interface TriggerFieldsProps {
  readonly trigger: Trigger;
  readonly problems: Problems;
  readonly onChange: (trigger: Trigger) => void;
}

export function TriggerFields({ trigger, problems, onChange }: TriggerFieldsProps) {
  const { t } = useI18n();
  const pattern = (name: 'join_pattern' | 'leave_pattern', label: string, hint: string) => (
    <FieldFrame label={label} hint={hint} problems={problems[`trigger.${name}`]}>
      {(attributes) => (
        <input
          {...attributes}
          dir="ltr"
          value={trigger[name] ?? ''}
          placeholder={name === 'join_pattern' ? 'joined the game' : 'left the game'}
          onChange={({ target }) => onChange({ ...trigger, [name]: target.value === '' ? null : target.value })}
        />
      )}
    </FieldFrame>
  );
  return (
    <div className="fields">
      <FieldFrame label={t('schedules.when')} problems={problems['trigger.kind']}>
        {(attributes) => (
          <select
            {...attributes}
            value={trigger.kind}
            onChange={({ target }) => onChange({ ...trigger, kind: target.value as Trigger['kind'] })}
          >
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {t(`trigger.${kind}`)}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
      {trigger.kind === 'players_empty' ? (
        <>
          <FieldFrame label={t('schedules.empty-minutes')} problems={problems['trigger.empty_minutes']}>
            {(attributes) => (
              <input
                {...attributes}
                type="number"
                min={1}
                max={1440}
                required
                value={trigger.empty_minutes ?? 10}
                onChange={({ target }) => onChange({ ...trigger, empty_minutes: target.valueAsNumber || 1 })}
              />
            )}
          </FieldFrame>
          {pattern('join_pattern', t('schedules.join-pattern'), t('schedules.pattern-hint'))}
          {pattern('leave_pattern', t('schedules.leave-pattern'), t('schedules.pattern-hint'))}
        </>
      ) : null}
    </div>
  );
}
