import { useI18n } from '../i18n/i18n.js';
import type { Field, FormValues } from '../ui/form.js';

const limitNames = ['memory', 'disk', 'cpu', 'databases_limit', 'backups_limit', 'allocations_limit'] as const;

export function limitsOf(values: FormValues): Record<(typeof limitNames)[number], number> {
  const [memory, disk, cpu, databases_limit, backups_limit, allocations_limit] = limitNames.map((name) =>
    Number(values[name]),
  );
  return {
    memory: memory ?? 0,
    disk: disk ?? 0,
    cpu: cpu ?? 0,
    databases_limit: databases_limit ?? 0,
    backups_limit: backups_limit ?? 0,
    allocations_limit: allocations_limit ?? 1,
  };
}

/** Values in the order of the names. */
export function useLimitFields(values: readonly number[]): Field[] {
  const { t } = useI18n();
  const labels = [
    t('staff.memory-mb'),
    t('staff.disk-mb'),
    t('staff.cpu-percent'),
    t('staff.databases'),
    t('staff.backups'),
    t('staff.addresses'),
  ];
  return limitNames.map((name, index) => ({
    name,
    label: labels[index] ?? name,
    type: 'number' as const,
    value: values[index] ?? 0,
    isRequired: true,
    min: name === 'memory' ? 128 : 0,
  }));
}
