// How targets are dragged, and what a screen reader is told meanwhile.

import { KeyboardSensor, PointerSensor, useSensor, useSensors, type Announcements } from '@dnd-kit/core'
import { sortableKeyboardCoordinates } from '@dnd-kit/sortable'
import { useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { OrderedTarget } from '#renderer/data/target-order.ts'

export function useDragSensors() {
  return useSensors(
    // A press that does not move is a click.
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
}

export function useDragWords(order: readonly OrderedTarget[]) {
  const { t } = useTranslation('models')
  const isJustLifted = useRef(false)
  return useMemo(() => {
    const placeOf = (id: string | number | undefined) => order.findIndex((target) => target.id === id) + 1
    const nameOf = (id: string | number) => order.find((target) => target.id === id)?.provider ?? ''
    const announcements: Announcements = {
      onDragStart: ({ active }) => {
        isJustLifted.current = true
        return t('drag.start', { name: nameOf(active.id), place: placeOf(active.id) })
      },
      onDragOver: ({ active, over }) => {
        // A target that was just lifted is over its own place, and to say so would cut short that it was lifted.
        const isNews = !isJustLifted.current || active.id !== over?.id
        isJustLifted.current = false
        return isNews ? t('drag.over', { name: nameOf(active.id), place: placeOf(over?.id) }) : undefined
      },
      onDragEnd: ({ active, over }) => t('drag.end', { name: nameOf(active.id), place: placeOf(over?.id) }),
      onDragCancel: ({ active }) => t('drag.cancel', { name: nameOf(active.id) }),
    }
    return { announcements, screenReaderInstructions: { draggable: t('drag.how') } }
  }, [order, t])
}
