import { useState } from 'react'
import { Badge, Status } from '#renderer/components/badge.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Checkbox } from '#renderer/components/checkbox.tsx'
import { Field } from '#renderer/components/field.tsx'
import { Input, Select, Textarea } from '#renderer/components/input.tsx'
import { Switch } from '#renderer/components/switch.tsx'
import { Segments, Tabs } from '#renderer/components/tabs.tsx'

export function Forms() {
  const [tab, setTab] = useState<'form' | 'states'>('form')
  const [metric, setMetric] = useState<'cost' | 'tokens'>('cost')
  const choices = [
    { value: 'cost', label: 'Cost' },
    { value: 'tokens', label: 'Tokens' },
  ] as const
  return (
    <Card title="Controls" actions={<Segments label="Metric" value={metric} onChange={setMetric} choices={choices} />}>
      <Tabs
        label="Parts"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'form', label: 'Form', content: <Form /> },
          { value: 'states', label: 'States', content: <p>States</p> },
        ]}
      />
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <Button look="primary">Primary</Button>
        <Button>Plain</Button>
        <Button look="quiet">Quiet</Button>
        <Button look="danger">Danger</Button>
        <Button isBusy>Busy</Button>
        <Button disabled>Disabled</Button>
        <Button size="small">Small</Button>
        <Status tone="live">Active</Status>
        <Status tone="low">Getting low</Status>
        <Status tone="lost">Revoked</Status>
        <Status tone="waiting">Waiting</Status>
        <Status>Suspended</Status>
        <Badge>monthly</Badge>
      </div>
    </Card>
  )
}

function Form() {
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Field label="Name" hint="How you will find it again.">
        {(control) => <Input {...control} placeholder="claude-code" />}
      </Field>
      <Field label="Credits" error="Write an amount such as 12.50.">
        {(control) => <Input {...control} defaultValue="a few" />}
      </Field>
      <Field label="Package">
        {(control) => (
          <Select {...control}>
            <option>team</option>
            <option>starter</option>
          </Select>
        )}
      </Field>
      <Field label="Reason" isOptional optionalWord="(optional)">
        {(control) => <Textarea {...control} rows={2} />}
      </Field>
      <Field label="Wait instead of 429" layout="row">
        {(control) => <Switch {...control} defaultChecked />}
      </Field>
      <Field label="All models" layout="row">
        {(control) => <Checkbox {...control} defaultChecked />}
      </Field>
    </div>
  )
}
