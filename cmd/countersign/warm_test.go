package main

import (
	_ "github.com/PuerkitoBio/goquery"
	_ "github.com/chromedp/chromedp"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/gowebpki/jcs"
)
