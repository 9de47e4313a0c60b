import { Trash2 } from 'lucide-react';
import type { PathRule } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { FieldFrame, type Problems } from '../ui/form.js';

export interface DraftRule extends PathRule {
  readonly key: string;
}

const maxRules = 20;
const accesses: readonly PathRule['access'][] = ['allow', 'read_only', 'deny'];

export function draftRule(rule: PathRule): DraftRule {
  return { ...rule, key: crypto.randomUUID() };
}

interface PathRulesProps {
  readonly rules: readonly DraftRule[];
  readonly problems: Problems;
  readonly onChange: (rules: readonly DraftRule[]) => void;
}

export function PathRules({ rules, problems, onChange }: PathRulesProps) {
  const { t } = useI18n();
  const change = (key: string, changed: Partial<PathRule>): void =>
    onChange(rules.map((rule) => (rule.key === key ? { ...rule, ...changed } : rule)));
  return (
    <fieldset className="group">
      <legend>{t('people.path-rules')}</legend>
      <p className="faint">{t('people.path-rules-hint')}</p>
      {problems.path_rules ? (
        <p className="problem" role="alert">
          {problems.path_rules.join(' ')}
        </p>
      ) : null}
      {rules.map(({ key, path, access }, index) => (
        <div key={key} className="rule" role="group" aria-label={t('people.rule', { number: index + 1 })}>
          <FieldFrame label={t('field.path')} problems={problems[`path_rules.${index}.path`]}>
            {(attributes) => (
              <input
                {...attributes}
                className="mono"
                dir="ltr"
                required
                value={path}
                onChange={({ target }) => change(key, { path: target.value })}
              />
            )}
          </FieldFrame>
          <FieldFrame label={t('people.access')} problems={problems[`path_rules.${index}.access`]}>
            {(attributes) => (
              <select
                {...attributes}
                value={access}
                onChange={({ target }) => change(key, { access: target.value as PathRule['access'] })}
              >
                {accesses.map((value) => (
                  <option key={value} value={value}>
                    {t(`access.${value}`)}
                  </option>
                ))}
              </select>
            )}
          </FieldFrame>
          <Button
            kind="quiet"
            label={t('people.rule-remove', { number: index + 1 })}
            icon={<Trash2 />}
            onClick={() => onChange(rules.filter((rule) => rule.key !== key))}
          />
        </div>
      ))}
      <Button
        why={rules.length >= maxRules && t('why.limit', { limit: maxRules })}
        onClick={() => onChange([...rules, draftRule({ path: '/', access: 'read_only' })])}
      >
        {t('people.rule-add')}
      </Button>
    </fieldset>
  );
}
