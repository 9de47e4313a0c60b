import { Trash2 } from 'lucide-react';
import { useI18n } from '../../i18n/i18n.js';
import { Button } from '../../ui/button.js';
import { FieldFrame, type Problems } from '../../ui/form.js';
import { type DraftVariable, newVariable } from './egg-draft.js';

interface VariableListProps {
  readonly variables: readonly DraftVariable[];
  readonly problems: Problems;
  readonly onChange: (variables: readonly DraftVariable[]) => void;
}

export function VariableList({ variables, problems, onChange }: VariableListProps) {
  const { t } = useI18n();
  return (
    <>
      {variables.map((variable, index) => (
        <fieldset key={variable.key} className="group">
          <legend>{variable.env_variable || t('staff.egg-new-variable')}</legend>
          <VariableFields
            variable={variable}
            of={(name) => problems[`variables.${index}.${name}`]}
            onChange={(changed) => onChange(variables.map((one) => (one.key === variable.key ? changed : one)))}
          />
          <div className="actions">
            <Button
              kind="quiet"
              icon={<Trash2 />}
              onClick={() => onChange(variables.filter(({ key }) => key !== variable.key))}
            >
              {t('staff.egg-remove-variable', { name: variable.env_variable })}
            </Button>
          </div>
        </fieldset>
      ))}
      <div className="actions">
        <Button onClick={() => onChange([...variables, newVariable()])}>{t('staff.egg-add-variable')}</Button>
      </div>
    </>
  );
}

interface VariableFieldsProps {
  readonly variable: DraftVariable;
  readonly of: (name: string) => readonly string[] | undefined;
  readonly onChange: (variable: DraftVariable) => void;
}

function VariableFields({ variable, of, onChange }: VariableFieldsProps) {
  const { t } = useI18n();
  const text = (
    name: 'name' | 'env_variable' | 'default_value' | 'rules' | 'description',
    label: string,
    hint?: string,
  ) => (
    <FieldFrame label={label} hint={hint} problems={of(name)} isWide={name === 'rules' || name === 'description'}>
      {(attributes) => (
        <input
          {...attributes}
          className={name === 'name' || name === 'description' ? undefined : 'mono'}
          dir={name === 'name' || name === 'description' ? undefined : 'ltr'}
          value={variable[name]}
          onChange={({ target }) => onChange({ ...variable, [name]: target.value })}
        />
      )}
    </FieldFrame>
  );
  const check = (name: 'user_viewable' | 'user_editable', label: string) => (
    <FieldFrame label={label} type="check">
      {(attributes) => (
        <input
          {...attributes}
          type="checkbox"
          checked={variable[name]}
          onChange={({ target }) => onChange({ ...variable, [name]: target.checked })}
        />
      )}
    </FieldFrame>
  );
  return (
    <div className="fields">
      {text('name', t('field.name'))}
      {text('env_variable', t('staff.egg-env'))}
      {text('default_value', t('staff.egg-default'))}
      {text('rules', t('staff.egg-rules'), t('staff.egg-rules-hint'))}
      {text('description', t('field.description'))}
      {check('user_viewable', t('staff.egg-viewable'))}
      {check('user_editable', t('staff.egg-editable'))}
    </div>
  );
}
