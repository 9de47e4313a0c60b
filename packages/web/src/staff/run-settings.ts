import type { AdminServer } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { textOf } from '../ui/form-dialog.js';
import type { Field, FormValues } from '../ui/form.js';

export type RunSettings = Pick<AdminServer, 'auto_start' | 'timezone' | 'threads' | 'oom_disabled' | 'stop_grace'>;

const autoStarts = ['unless_stopped', 'always', 'never'] as const;

export function useRunSettingsFields(settings?: RunSettings): Field[] {
  const { t } = useI18n();
  return [
    {
      name: 'auto_start',
      label: t('staff.auto-start'),
      type: 'select',
      options: autoStarts.map((value) => ({ value, label: t(`staff.auto-start-${value}`) })),
      value: settings?.auto_start ?? 'unless_stopped',
    },
    {
      name: 'timezone',
      label: t('staff.timezone'),
      value: settings?.timezone ?? '',
      hint: t('staff.timezone-hint'),
      maxLength: 64,
    },
    {
      name: 'threads',
      label: t('staff.threads'),
      value: settings?.threads ?? '',
      hint: t('staff.threads-hint'),
      pattern: '[0-9,\\- ]*',
      maxLength: 191,
    },
    {
      name: 'stop_grace',
      label: t('staff.stop-grace'),
      type: 'number',
      value: settings?.stop_grace ?? '',
      hint: t('staff.stop-grace-hint'),
      min: 1,
      max: 86_400,
    },
    { name: 'oom_disabled', label: t('staff.oom-disabled'), type: 'check', value: settings?.oom_disabled ?? false },
  ];
}

/** An empty field removes a setting. */
export function runSettingsOf(values: FormValues): RunSettings {
  const stopGrace = textOf(values['stop_grace']);
  return {
    auto_start: autoStarts.find((word) => word === values['auto_start']) ?? 'unless_stopped',
    timezone: textOf(values['timezone']) ?? null,
    threads: textOf(values['threads']) ?? null,
    oom_disabled: values['oom_disabled'] === true,
    stop_grace: stopGrace === undefined ? null : Number(stopGrace),
  };
}
