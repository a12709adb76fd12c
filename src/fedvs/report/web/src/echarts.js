// The parts of ECharts that the page uses, and nothing else of it.
import { init, use } from "echarts/core";
import { CustomChart, LineChart } from "echarts/charts";
import {
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  GridComponent,
  LegendComponent,
  ToolboxComponent,
  TooltipComponent,
} from "echarts/components";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import { is_printing, on_theme } from "./theme.js";

use([
  LineChart,
  CustomChart,
  GridComponent,
  TooltipComponent,
  LegendComponent,
  ToolboxComponent,
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  SVGRenderer,
  CanvasRenderer,
]);

export { init };

const kPrintWidth = 660; // px: A4 within the margins of style.css

// A chart in `place` that follows its size and the theme. draw() sets its option.
// `print_height`: px on paper, or "auto" as on the screen.
export function mount(place, renderer, print_height, draw) {
  const chart = init(place, null, { renderer });
  const fit = () =>
    chart.resize(
      is_printing()
        ? { width: kPrintWidth, height: print_height }
        : { width: "auto", height: "auto" },
    );
  on_theme(() => {
    fit();
    draw();
  });
  new ResizeObserver(() => is_printing() || fit()).observe(place);
  return chart;
}
