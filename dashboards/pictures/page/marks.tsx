import type { GrafanaTheme2 } from '@grafana/data';
import type { UPlotConfigBuilder } from '@grafana/ui';
import { useState } from 'react';

/** The annotations, as Grafana marks them: dashed lines that stand on a foot. */
export function Marks({ builder, theme }: { builder: UPlotConfigBuilder; theme: GrafanaTheme2 }) {
  useState(() =>
    builder.addHook('draw', (plot) => {
      const { top, height } = plot.bbox;
      for (const { timeUnixMs, color } of window.drawn.annotations) {
        const x = Math.round(plot.valToPos(timeUnixMs, 'x', true));
        plot.ctx.save();
        plot.ctx.strokeStyle = theme.visualization.getColorByName(color);
        plot.ctx.fillStyle = plot.ctx.strokeStyle;
        plot.ctx.setLineDash([5, 5]);
        plot.ctx.lineWidth = 2;
        plot.ctx.beginPath();
        plot.ctx.moveTo(x, top);
        plot.ctx.lineTo(x, top + height);
        plot.ctx.stroke();
        plot.ctx.fillRect(x - 4, top + height, 8, 5);
        plot.ctx.restore();
      }
    }),
  );
  return null;
}
