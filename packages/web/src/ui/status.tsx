import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.js';

const tones: Readonly<Record<string, 'good' | 'busy' | 'bad' | 'off'>> = {
  running: 'good',
  online: 'good',
  active: 'good',
  paid: 'good',
  completed: 'good',
  succeeded: 'good',
  starting: 'busy',
  stopping: 'busy',
  installing: 'busy',
  reinstalling: 'busy',
  transferring: 'busy',
  restoring: 'busy',
  provisioning: 'busy',
  pending: 'busy',
  unpaid: 'busy',
  suspended: 'bad',
  install_failed: 'bad',
  failed: 'bad',
  overdue: 'bad',
  crashed: 'bad',
};

interface StatusProps {
  readonly value: string;
  /** Where the same word means something else. */
  readonly text?: string | undefined;
}

export function Status({ value, text }: StatusProps) {
  const { maybe } = useI18n();
  return (
    <span className="status" data-tone={tones[value] ?? 'off'}>
      {text ?? maybe(`status.${value}`, value)}
    </span>
  );
}

interface MeterProps {
  readonly label: string;
  readonly value: number;
  /** 0: without a limit. */
  readonly limit: number;
  readonly text: ReactNode;
  /** By another element, such as a column. */
  readonly isNamed?: boolean;
}

export function Meter({ label, value, limit, text, isNamed = false }: MeterProps) {
  const share = limit > 0 ? Math.min(1, value / limit) : 0;
  return (
    <div className="meter" data-tone={share > 0.9 ? 'bad' : share > 0.75 ? 'busy' : 'good'}>
      <span className="meter-text">
        {isNamed ? null : <span>{label}</span>}
        <span>{text}</span>
      </span>
      <progress aria-label={label} max={100} value={Math.round(share * 100)} />
    </div>
  );
}
