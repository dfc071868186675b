package views

// iconPaths are drawn on a field of 16 by 16 with a line of 2.
var iconPaths = map[string]string{
	"bang":     "M8 2.5v7M8 13v.01",
	"check":    "M3 8.5l3.5 3.5L13 4.5",
	"cross":    "M4 4l8 8M12 4l-8 8",
	"equal":    "M3.5 6h9M3.5 10h9",
	"eye":      "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.8v2.4",
	"info":     "M8 7.5v5M8 3.5v.01",
	"lines":    "M3 4.5h10M3 8h10M3 11.5h6",
	"minus":    "M3.5 8h9",
	"plus":     "M8 3.5v9M3.5 8h9",
	"question": "M5.5 5.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.8v.01",
	"speech":   "M2.5 3.5h11v7h-6l-3 3v-3h-2z",
	"stop":     "M5.5 1.8h5l3.7 3.7v5l-3.7 3.7h-5L1.8 10.5v-5zM8 5v3.4M8 10.9v.01",
	"swap":     "M4 3v10M4 13l-2-2M4 13l2-2M12 13V3M12 3l-2 2M12 3l2 2",
	"wait":     "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 4.5V8l2.3 1.8",
}
