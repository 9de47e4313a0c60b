import { useMemo } from 'react';
import { useNow } from '../ui/use-now.js';
import { useI18n } from '../i18n/i18n.js';
import { FieldFrame, type Problems } from '../ui/form.js';
import { type CronPlan, cronFieldNames, cronOf, nextRuns, type PlanKind, planOfKind } from './cron.js';

const planKinds: readonly PlanKind[] = ['minutes', 'hourly', 'daily', 'weekly', 'monthly', 'expression'];
const shownRuns = 5;

interface CronBuilderProps {
  readonly plan: CronPlan;
  readonly timezone: string;
  readonly problems: Problems;
  readonly onPlan: (plan: CronPlan) => void;
  readonly onTimezone: (timezone: string) => void;
}

export function CronBuilder({ plan, timezone, problems, onPlan, onTimezone }: CronBuilderProps) {
  const { t } = useI18n();
  const zones = useMemo(() => {
    const known = Intl.supportedValuesOf('timeZone');
    return [...new Set(['UTC', timezone, ...known])];
  }, [timezone]);
  return (
    <fieldset className="group">
      <legend>{t('trigger.cron')}</legend>
      <div className="fields">
        <FieldFrame label={t('schedules.repeat')} problems={problems.cron}>
          {(attributes) => (
            <select
              {...attributes}
              value={plan.kind}
              onChange={({ target }) => onPlan(planOfKind(target.value as PlanKind, plan))}
            >
              {planKinds.map((kind) => (
                <option key={kind} value={kind}>
                  {t(`plan.${kind}`)}
                </option>
              ))}
            </select>
          )}
        </FieldFrame>
        <PlanFields plan={plan} problems={problems} onPlan={onPlan} />
        <FieldFrame label={t('schedules.timezone')} problems={problems.timezone}>
          {(attributes) => (
            <select {...attributes} value={timezone} onChange={({ target }) => onTimezone(target.value)}>
              {zones.map((zone) => (
                <option key={zone} value={zone}>
                  {zone}
                </option>
              ))}
            </select>
          )}
        </FieldFrame>
      </div>
      <NextRuns plan={plan} timezone={timezone} />
    </fieldset>
  );
}

interface PlanFieldsProps {
  readonly plan: CronPlan;
  readonly problems: Problems;
  readonly onPlan: (plan: CronPlan) => void;
}

function PlanFields({ plan, problems, onPlan }: PlanFieldsProps) {
  const { t } = useI18n();
  const number = (
    label: string,
    [min, max]: readonly [number, number],
    value: number,
    set: (value: number) => CronPlan,
  ) => (
    <FieldFrame label={label}>
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          min={min}
          max={max}
          required
          value={value}
          onChange={({ target }) => {
            if (Number.isInteger(target.valueAsNumber)) {
              onPlan(set(Math.min(max, Math.max(min, target.valueAsNumber))));
            }
          }}
        />
      )}
    </FieldFrame>
  );
  const atMinute = [0, 59] as const;
  if (plan.kind === 'minutes') {
    return number(t('schedules.every-minutes'), [1, 59], plan.every, (every) => ({ ...plan, every }));
  }
  if (plan.kind === 'hourly') {
    return number(t('schedules.at-minute'), atMinute, plan.minute, (minute) => ({ ...plan, minute }));
  }
  if (plan.kind === 'expression') {
    return cronFieldNames.map((name) => (
      <FieldFrame key={name} label={t(`cron.${name}`)} problems={problems[`cron.${name}`]}>
        {(attributes) => (
          <input
            {...attributes}
            className="mono"
            dir="ltr"
            required
            maxLength={100}
            value={plan.cron[name]}
            onChange={({ target }) => onPlan({ ...plan, cron: { ...plan.cron, [name]: target.value.trim() } })}
          />
        )}
      </FieldFrame>
    ));
  }
  return (
    <>
      {plan.kind === 'weekly' ? <WeekDays plan={plan} onPlan={onPlan} /> : null}
      {plan.kind === 'monthly' ? number(t('cron.day_of_month'), [1, 31], plan.day, (day) => ({ ...plan, day })) : null}
      <FieldFrame label={t('schedules.at-time')}>
        {(attributes) => (
          <input
            {...attributes}
            type="time"
            required
            value={`${String(plan.hour).padStart(2, '0')}:${String(plan.minute).padStart(2, '0')}`}
            onChange={({ target }) => {
              const [hour, minute] = target.value.split(':').map(Number);
              if (hour !== undefined && minute !== undefined) onPlan({ ...plan, hour, minute });
            }}
          />
        )}
      </FieldFrame>
    </>
  );
}

interface WeekDaysProps {
  readonly plan: Extract<CronPlan, { kind: 'weekly' }>;
  readonly onPlan: (plan: CronPlan) => void;
}

function WeekDays({ plan, onPlan }: WeekDaysProps) {
  const { t, locale } = useI18n();
  const format = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });
  // 4 January 1970 was a Sunday, cron's 0.
  const names = [1, 2, 3, 4, 5, 6, 0].map((day) => ({ day, name: format.format(new Date((3 + day) * 86_400_000)) }));
  const toggle = (day: number): void => {
    const days = plan.days.includes(day) ? plan.days.filter((one) => one !== day) : [...plan.days, day];
    if (days.length > 0) onPlan({ ...plan, days });
  };
  return (
    <fieldset className="field plain-group" data-wide>
      <legend>{t('cron.day_of_week')}</legend>
      <div className="row">
        {names.map(({ day, name }) => (
          <label key={day} className="row">
            <input type="checkbox" checked={plan.days.includes(day)} onChange={() => toggle(day)} />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const minuteMs = 60_000;

function NextRuns({ plan, timezone }: { readonly plan: CronPlan; readonly timezone: string }) {
  const { t, locale } = useI18n();
  const now = useNow(minuteMs);
  const runs = nextRuns(cronOf(plan), timezone, new Date(now), shownRuns);
  if (runs.length === 0) return <p className="problem">{t('schedules.never')}</p>;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone: timezone });
  return (
    <div>
      <h3>{t('schedules.next-runs')}</h3>
      <ol className="plain" aria-live="polite">
        {runs.map((at) => (
          <li key={at.toISOString()}>
            <time dateTime={at.toISOString()}>{format.format(at)}</time>
          </li>
        ))}
      </ol>
    </div>
  );
}
