import { ArrowDown, ArrowUp, GripVertical, Trash2 } from 'lucide-react';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import type { Schedule } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { FieldFrame, type Problems } from '../ui/form.js';

type Task = Schedule['tasks'][number];

export interface DraftTask extends Omit<Task, 'id' | 'sequence'> {
  readonly key: string;
  readonly id?: string;
}

const maxTasks = 10;
const powerActions = ['start', 'stop', 'restart', 'kill'] as const;

export function draftOf({ id, action, payload, time_offset, continue_on_failure }: Task): DraftTask {
  return { key: id, id, action, payload, time_offset, continue_on_failure };
}

export function newTask(): DraftTask {
  return { key: crypto.randomUUID(), action: 'command', payload: '', time_offset: 0, continue_on_failure: false };
}

export function taskPermission({ action, payload }: DraftTask): string {
  if (action === 'command') return 'control.console';
  if (action === 'backup') return 'backup.create';
  return `control.${payload === 'kill' ? 'stop' : payload || 'start'}`;
}

interface TaskListProps {
  readonly tasks: readonly DraftTask[];
  readonly problems: Problems;
  readonly onChange: (tasks: readonly DraftTask[]) => void;
}

export function TaskList({ tasks, problems, onChange }: TaskListProps) {
  const { t } = useI18n();
  const [dragged, setDragged] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const focusAfterMove = useRef<string | null>(null);
  useEffect(() => {
    if (focusAfterMove.current === null) return;
    list.current?.querySelector<HTMLElement>(`[data-focus="${CSS.escape(focusAfterMove.current)}"]`)?.focus();
    focusAfterMove.current = null;
  });
  const move = (key: string, to: number): void => {
    const from = tasks.findIndex((task) => task.key === key);
    const task = tasks[from];
    if (!task || to < 0 || to >= tasks.length || from === to) return;
    const others = tasks.filter((one) => one !== task);
    onChange([...others.slice(0, to), task, ...others.slice(to)]);
  };
  const moveBy = (key: string, index: number, step: -1 | 1): void => {
    focusAfterMove.current = `${key} ${step}`;
    move(key, index + step);
  };
  return (
    <fieldset className="group">
      <legend>{t('schedules.tasks')}</legend>
      {problems.tasks ? (
        <p className="problem" role="alert">
          {problems.tasks.join(' ')}
        </p>
      ) : null}
      <ol ref={list} className="plain tasks">
        {tasks.map((task, index) => (
          <li
            key={task.key}
            className="task"
            data-dragged={dragged === task.key || undefined}
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              move(dragged, index);
            }}
            onDrop={(event) => event.preventDefault()}
          >
            <span
              className="grip"
              draggable
              aria-hidden
              onDragStart={(event: DragEvent) => {
                event.dataTransfer.setData('text/plain', String(index + 1));
                event.dataTransfer.effectAllowed = 'move';
                setDragged(task.key);
              }}
              onDragEnd={() => setDragged(null)}
            >
              <GripVertical />
            </span>
            <TaskFields
              task={task}
              index={index}
              problems={problems}
              onChange={(changed) => onChange(tasks.map((one) => (one.key === task.key ? changed : one)))}
            />
            <span className="row">
              <Button
                kind="quiet"
                label={t('schedules.task-up', { number: index + 1 })}
                icon={<ArrowUp />}
                data-focus={`${task.key} -1`}
                why={index === 0 && t('schedules.task-first')}
                onClick={() => moveBy(task.key, index, -1)}
              />
              <Button
                kind="quiet"
                label={t('schedules.task-down', { number: index + 1 })}
                icon={<ArrowDown />}
                data-focus={`${task.key} 1`}
                why={index === tasks.length - 1 && t('schedules.task-last')}
                onClick={() => moveBy(task.key, index, 1)}
              />
              <Button
                kind="quiet"
                label={t('schedules.task-remove', { number: index + 1 })}
                icon={<Trash2 />}
                onClick={() => onChange(tasks.filter(({ key }) => key !== task.key))}
              />
            </span>
          </li>
        ))}
      </ol>
      <Button
        why={tasks.length >= maxTasks && t('why.limit', { limit: maxTasks })}
        onClick={() => onChange([...tasks, newTask()])}
      >
        {t('schedules.task-add')}
      </Button>
    </fieldset>
  );
}

interface TaskFieldsProps {
  readonly task: DraftTask;
  readonly index: number;
  readonly problems: Problems;
  readonly onChange: (task: DraftTask) => void;
}

function TaskFields({ task, index, problems, onChange }: TaskFieldsProps) {
  const { t } = useI18n();
  const of = (name: string) => problems[`tasks.${index}.${name}`];
  const choose = (action: DraftTask['action']): void =>
    onChange({ ...task, action, payload: action === 'power' ? 'restart' : '' });
  return (
    <div className="fields" role="group" aria-label={t('schedules.task', { number: index + 1 })}>
      <FieldFrame label={t('schedules.action')} problems={of('action')}>
        {(attributes) => (
          <select
            {...attributes}
            value={task.action}
            onChange={({ target }) => choose(target.value as DraftTask['action'])}
          >
            {(['command', 'power', 'backup'] as const).map((action) => (
              <option key={action} value={action}>
                {t(`task.${action}`)}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
      <Payload task={task} problems={of('payload')} onChange={onChange} />
      <FieldFrame label={t('schedules.offset')} problems={of('time_offset')}>
        {(attributes) => (
          <input
            {...attributes}
            type="number"
            min={0}
            max={900}
            required
            value={task.time_offset}
            onChange={({ target }) => onChange({ ...task, time_offset: Math.round(target.valueAsNumber) || 0 })}
          />
        )}
      </FieldFrame>
      <FieldFrame label={t('schedules.continue')} type="check">
        {(attributes) => (
          <input
            {...attributes}
            type="checkbox"
            checked={task.continue_on_failure}
            onChange={({ target }) => onChange({ ...task, continue_on_failure: target.checked })}
          />
        )}
      </FieldFrame>
    </div>
  );
}

interface PayloadProps {
  readonly task: DraftTask;
  readonly problems: readonly string[] | undefined;
  readonly onChange: (task: DraftTask) => void;
}

function Payload({ task, problems, onChange }: PayloadProps) {
  const { t } = useI18n();
  if (task.action === 'power') {
    return (
      <FieldFrame label={t('task.power')} problems={problems}>
        {(attributes) => (
          <select
            {...attributes}
            value={task.payload}
            onChange={({ target }) => onChange({ ...task, payload: target.value })}
          >
            {powerActions.map((action) => (
              <option key={action} value={action}>
                {t(`power.${action}`)}
              </option>
            ))}
          </select>
        )}
      </FieldFrame>
    );
  }
  if (task.action === 'backup') {
    return (
      <FieldFrame label={t('field.ignored')} problems={problems} hint={t('field.ignored-hint')} isWide>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            dir="ltr"
            value={task.payload}
            onChange={({ target }) => onChange({ ...task, payload: target.value })}
          />
        )}
      </FieldFrame>
    );
  }
  return (
    <FieldFrame label={t('task.command')} problems={problems} isRequired>
      {(attributes) => (
        <input
          {...attributes}
          className="mono"
          dir="ltr"
          required
          value={task.payload}
          onChange={({ target }) => onChange({ ...task, payload: target.value })}
        />
      )}
    </FieldFrame>
  );
}
